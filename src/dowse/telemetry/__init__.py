"""Telemetry: structured log events and Prometheus metrics."""
