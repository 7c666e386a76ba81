"""A fixture for pytest: each test that asks for a `phone` has one for itself, also among tests of other machines.

`phones` is a pool. Explained in docs/guides/share-test-devices.md.
"""

import pytest

from holdfast import hold


@pytest.fixture
def phone(request):
    with hold("phones", note=request.node.nodeid) as [slot]:
        yield slot
