"""A kubeconfig whose credentials come from a program."""


def config_with_plugin(folder, script):
    """Writes `script` as the plugin, and the kubeconfig: the paths of both."""
    plugin = folder / "credential-plugin"
    plugin.write_text(script)
    plugin.chmod(0o755)
    config = folder / "config"
    config.write_text(
        "current-context: c\n"
        "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n"
        "users: [{name: u, user: {exec: {apiVersion: "
        f"client.authentication.k8s.io/v1, command: {plugin}, "
        "interactiveMode: Never}}}]\n"
    )
    return plugin, str(config)
