"""Runs the tests of the calling file. The last line of the output is "N passed, N failed", as in
the native tests."""

import sys
import unittest


def main():
    result = unittest.main(module="__main__", exit=False).result
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    passed = max(0, result.testsRun - failed - len(result.skipped))
    print(f"{passed} passed, {failed} failed", file=sys.stderr)
    sys.exit(bool(failed))
