"""What holds for any input at all, and a program that looks for one where it does not.

    python -m tests.fuzz [TARGET] [INPUT or libFuzzer's -option=value ...]

hypothesis asks every target a little in the tests (tests/fuzz/test_fuzz.py), atheris for as
long as wanted by hand (`make fuzz`).
"""
