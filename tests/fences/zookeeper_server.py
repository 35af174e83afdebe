"""A ZooKeeper of the test's own, one node."""

import pathlib
import socket

from free_port import free_port
from store_server import StoreServer, find

# Its manifest names the jars that it needs.
JAR = pathlib.Path("/usr/share/java/zookeeper.jar")


class ZookeeperServer(StoreServer):
    def __init__(self, folder, name="zookeeper"):
        self.port = free_port()
        self.hosts = f"127.0.0.1:{self.port}"
        self.url = f"zookeeper://{self.hosts}"
        configuration = folder / f"{name}.cfg"
        # A tick of 100 ms allows sessions as short as 200 ms.
        configuration.write_text(
            f"tickTime=100\ndataDir={folder / name}-data\n"
            f"clientPort={self.port}\nclientPortAddress=127.0.0.1\n"
            "maxSessionTimeout=60000\n"
            "admin.enableServer=false\n4lw.commands.whitelist=srvr\n"
        )
        super().__init__(
            folder,
            name,
            [find("java"), "-Xmx128m", "-XX:TieredStopAtLevel=1"]
            + ["-XX:+UseSerialGC", "-cp", JAR]
            + ["org.apache.zookeeper.server.ZooKeeperServerMain", configuration],
        )
        self.wait_until(self._healthy)

    def _healthy(self):
        with socket.create_connection(("127.0.0.1", self.port), 5) as made:
            made.sendall(b"srvr")
            return b"Mode: standalone" in made.makefile("rb").read()
