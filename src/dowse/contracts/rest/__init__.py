"""The REST API below `/api/v1`: its endpoints, its errors as problem details, its OpenAPI document."""
