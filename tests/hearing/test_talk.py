"""What is remembered of table talk."""

from mexvoice.hearing.talk import Talk


def test_people_go_on_talking_for_a_while() -> None:
    talk = Talk(memory=10.0)
    assert not talk.goes_on(0.0)
    talk.heard(5.0, "")
    assert talk.goes_on(6.0) and talk.goes_on(14.9)
    assert not talk.goes_on(15.0)


def test_only_what_was_doubted_last_is_said_again() -> None:
    talk = Talk(memory=10.0)
    assert not talk.is_again("throw", 1.0)
    talk.heard(5.0, "throw")
    assert talk.is_again("throw", 6.0)
    assert not talk.is_again("stop", 6.0)
    assert not talk.is_again("throw", 15.0)
    talk.heard(7.0, "")
    assert not talk.is_again("throw", 8.0)
    assert not talk.is_again("", 8.0)
