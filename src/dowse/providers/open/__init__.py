"""APIs that are open to everybody and never ask for a captcha: one file each, one member of the keyless pool."""
