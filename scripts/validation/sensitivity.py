"""docs/sensitivity.md."""


def write(pool, platform, families):
    raise NotImplementedError
