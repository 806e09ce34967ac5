"""Programs that use the SDKs of other vendors as their documentation says, in an environment that has these."""
