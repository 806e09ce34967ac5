"""`python -m dowse` is the `dowse` command."""

from dowse.surfaces.cli.main import main

raise SystemExit(main())
