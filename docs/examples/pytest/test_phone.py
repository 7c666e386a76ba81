def test_calls(phone):
    assert phone.startswith("phones_")
