"""`python -m fedbits`."""

from fedbits._program import main

main()
