"""The manifests of Kubernetes against its own schemas, which are too many files for every environment."""

from __future__ import annotations

import sys

from tests.clients.packaging import ROOT, uv

CHECK = """
import sys, yaml, kubernetes_validate
for found in yaml.safe_load_all(open(sys.argv[1])):
    kubernetes_validate.validate(found, "1.37", strict=True)
    print(found["kind"])
"""
KINDS = ["Deployment", "Service", "PodDisruptionBudget", "StatefulSet", "Service", "NetworkPolicy"]


def test_the_manifests_fit_the_schemas_of_kubernetes() -> None:
    """Strictly: a field that no schema has, such as a misspelt one, is a failure."""
    environment = ("run", "--quiet", "--no-project", "--isolated", "--python", sys.executable)
    packages = ("--with", "kubernetes-validate==1.37.0")
    assert uv(*environment, *packages, "python", "-c", CHECK, ROOT / "deploy/kubernetes.yaml").split() == KINDS
