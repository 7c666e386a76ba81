"""A fixture: each test that asks for a `phone` has one for itself, also among tests of other machines."""

import pytest

from holdfast import hold


@pytest.fixture
def phone(request):
    with hold("phones", note=request.node.nodeid) as [slot]:
        yield slot
