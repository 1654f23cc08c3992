"""What signs of a person, and their silence, say."""

from surefoot_bridge.operators.presence import Presence


def presence():
    return Presence(10.0, motion_s=1.0, presence_s=5.0)


def test_nothing_moves_before_the_first_sign():
    assert not presence().may_move(10.0)


def test_motion_outlives_a_sign_by_its_time_and_no_more():
    person = presence()
    person.seen(20.0)
    assert person.may_move(20.99)
    assert not person.may_move(21.0)


def test_a_sign_counts_as_presence_for_its_time():
    person = presence()
    assert [person.heartbeat_s(time_s) for time_s in (12.0, 15.0, 30.0)] == [12.0, 15.0, 15.0]
    person.seen(31.0)
    assert person.heartbeat_s(33.0) == 33.0


def test_who_cannot_give_a_sign_any_more_is_not_there_and_moves_nothing():
    person = presence()
    person.seen(20.0)
    person.gone()
    assert person.heartbeat_s(20.1) == 20.0
    assert not person.may_move(20.1)
