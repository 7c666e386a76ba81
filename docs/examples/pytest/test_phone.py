"""A test that takes a phone by the fixture of conftest.py. Explained in docs/guides/share-test-devices.md."""


def test_calls(phone):
    assert phone.startswith("phones_")
