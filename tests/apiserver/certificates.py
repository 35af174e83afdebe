"""A certificate authority of our own, by the openssl program."""

import pathlib
import subprocess


def _openssl(*arguments):
    done = subprocess.run(
        ["openssl", *map(str, arguments)], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]} failed: {done.stderr}")


def make_rsa_pair(private, public):
    _openssl("genrsa", "-out", private, "2048")
    _openssl("rsa", "-in", private, "-pubout", "-out", public)


class CertificateAuthority:
    """Files under `folder`: ca.crt, ca.key, and NAME.crt, NAME.key each."""

    def __init__(self, folder, common_name="tenure-test-ca"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.certificate = self.folder / "ca.crt"
        self._key = self.folder / "ca.key"
        self._new_key(self._key)
        _openssl(
            "req", "-x509", "-new", "-key", self._key, "-days", "30",
            "-subj", f"/CN={common_name}", "-out", self.certificate,
            "-addext", "keyUsage=critical,keyCertSign,digitalSignature",
        )  # fmt: skip

    @staticmethod
    def _new_key(path):
        _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)

    def issue(self, name, subject, usage, names=""):
        """Writes NAME.crt and NAME.key; returns both paths."""
        key = self.folder / f"{name}.key"
        request = self.folder / f"{name}.csr"
        extensions = self.folder / f"{name}.ext"
        certificate = self.folder / f"{name}.crt"
        self._new_key(key)
        _openssl("req", "-new", "-key", key, "-subj", subject, "-out", request)
        lines = ["keyUsage=critical,digitalSignature", f"extendedKeyUsage={usage}"]
        if names:
            lines.append(f"subjectAltName={names}")
        extensions.write_text("\n".join(lines) + "\n")
        _openssl(
            "x509", "-req", "-in", request, "-CA", self.certificate,
            "-CAkey", self._key, "-CAcreateserial", "-days", "30",
            "-extfile", extensions, "-out", certificate,
        )  # fmt: skip
        return certificate, key
