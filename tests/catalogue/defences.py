"""What keeps each row of the catalogue from being an accident, how to take it out, and the test that fails then."""

from dataclasses import dataclass
from typing import Final

__all__ = ["DEFENCES", "Defence"]


@dataclass(frozen=True, slots=True)
class Defence:
    row: int
    file: str
    text: str
    """What the defence is, found once in the file…"""
    without: str
    """…and what stands there without it."""
    test: str

    def __str__(self) -> str:
        return f"T{self.row}-{self.test.rpartition('::')[2]}"


_SERVER: Final = "kille_net/server"
_SESSION: Final = f"{_SERVER}/session.py"
_SESSIONS: Final = "tests/server/test_session.py"
_CONNECTIONS: Final = "tests/catalogue/test_connections.py"
_PASSWORDS: Final = "tests/server/test_passwords.py"
_FAIR: Final = "tests/game/test_fair_shuffle.py"
_SHUFFLING: Final = "kille_net/client/shuffling.py"
_CHEATS: Final = "tests/client/test_shuffling.py"
_WORLDS: Final = "tests/server/test_two_worlds.py"
_DRAWING: Final = "tests/server/test_drawing.py"

DEFENCES: Final = (
    Defence(
        1,
        "kille_net/wire/frames.py",
        "if size == 0 or size > self.limit:",
        "if size == 0:",
        "tests/wire/test_frames.py::test_a_header_beyond_the_limit_is_a_fault_before_a_byte_of_it_comes",
    ),
    Defence(
        2,
        "kille_net/wire/frames.py",
        "if size == 0 or size > self.limit:",
        "if size > self.limit:",
        "tests/wire/test_frames.py::test_an_empty_frame_is_a_fault",
    ),
    Defence(
        3,
        _SESSION,
        "return self._began_at + self._limits.hello",
        "return math.inf",
        f"{_SESSIONS}::TestGreeting::test_a_hello_a_byte_at_a_time_has_the_same_five_seconds",
    ),
    Defence(
        3,
        _SESSION,
        "times.append(self._frame_since + self._limits.frame)",
        "pass",
        f"{_SESSIONS}::TestFrames::test_have_five_seconds_from_first_byte_to_last",
    ),
    Defence(
        4,
        "kille_net/wire/frames.py",
        "            start = end\n",
        "            start = end\n            break\n",
        "tests/wire/test_frames.py::test_however_it_is_cut_the_frames_are_the_same",
    ),
    Defence(
        5,
        f"{_SERVER}/admission.py",
        "self._greeting[address] >= self._limits.greeting_connections_of_address",
        "False",
        f"{_CONNECTIONS}::test_of_many_silent_connections_from_one_address_eight_are_kept",
    ),
    Defence(
        5,
        f"{_SERVER}/admission.py",
        " or self.greeting >= self._limits.greeting_connections:",
        ":",
        f"{_CONNECTIONS}::test_all_who_are_not_yet_welcomed_are_bounded_whatever_their_addresses",
    ),
    Defence(
        5,
        f"{_SERVER}/admission.py",
        "self._welcomed[address] >= self._limits.connections_of_address",
        "False",
        f"{_CONNECTIONS}::test_of_one_address_there_are_only_so_many_players",
    ),
    Defence(
        5,
        f"{_SERVER}/serve.py",
        "else most - reserved",
        "else most",
        f"{_CONNECTIONS}::test_there_are_fewer_places_than_files",
    ),
    Defence(
        5,
        f"{_SERVER}/serve.py",
        "            entry.leave()\n",
        "            pass\n",
        f"{_CONNECTIONS}::test_places_are_given_back_also_by_sessions_that_break_down",
    ),
    Defence(
        6,
        _SESSION,
        "return self._began_at + self._limits.hello",
        "return math.inf",
        "tests/server/test_tls.py::test_a_handshake_without_an_end_is_cut_with_the_time_of_the_hello_and_hears_no_bye",
    ),
    Defence(
        7,
        _SESSION,
        "limits.greeting_outbox_bytes,",
        "limits.outbox_bytes,",
        f"{_SESSIONS}::TestOutbox::test_is_small_before_the_welcome",
    ),
    Defence(
        9,
        f"{_SERVER}/serve.py",
        "self._lingering >= self.limits.turned_away",
        "False",
        f"{_CONNECTIONS}::test_a_flood_of_connections_is_not_noticed_at_the_tables",
    ),
    Defence(
        10,
        _SESSION,
        "        except Exception as error:  # a bug of ours\n",
        "        except ZeroDivisionError as error:\n",
        f"{_SESSIONS}::TestEnds::test_an_error_of_ours_ends_one_session_and_not_the_server",
    ),
    Defence(
        10,
        f"{_SERVER}/outbox.py",
        "        except Exception as error:  # …nor of those who have their own line\n",
        "        except ZeroDivisionError as error:\n",
        "tests/catalogue/test_faults.py::test_a_bug_in_any_step_ends_one_connection",
    ),
    Defence(
        10,
        f"{_SERVER}/outbox.py",
        "        except Exception as error:  # a bug of ours is no matter of whoever made us send\n",
        "        except ZeroDivisionError as error:\n",
        "tests/catalogue/test_faults.py::test_a_bug_in_what_is_sent_is_no_matter_of_whoever_made_us_send",
    ),
    Defence(
        10,
        _SESSION,
        "        except Exception as error:  # …in the last steps, after which there is nobody to tell\n",
        "        except ZeroDivisionError as error:\n",
        "tests/catalogue/test_faults.py::test_a_bug_in_any_step_ends_one_connection",
    ),
    Defence(
        11,
        f"{_SERVER}/outbox.py",
        "        except trio.Cancelled:\n            self._break()\n            raise\n",
        "        except trio.Cancelled:\n            raise\n",
        "tests/server/test_outbox.py::test_a_cancelled_write_leaves_a_beginning_of_what_was_to_be_sent",
    ),
    Defence(
        12,
        f"{_SERVER}/outbox.py",
        "        if not self._size:\n            frames = self._send_now(frames)\n",
        "        frames = self._send_now(frames)\n",
        "tests/server/test_outbox.py::test_whatever_is_sent_when_frames_stay_whole_and_in_order",
    ),
    Defence(
        14,
        f"{_SERVER}/outbox.py",
        "                with trio.move_on_after(self._bounds.write) as scope:\n",
        "                with trio.move_on_after(600.0) as scope:\n",
        "tests/server/test_outbox.py::test_a_write_that_takes_too_long_ends_it",
    ),
    Defence(
        16,
        _SESSION,
        "silent = self._limits.silence if self._is_pinged else self._limits.ping",
        "silent = math.inf if self._is_pinged else self._limits.ping",
        "tests/catalogue/test_faults.py::"
        "test_a_line_that_is_cut_without_a_word_is_away_in_fifteen_seconds_and_gone_in_thirty",
    ),
    Defence(
        18,
        _SESSION,
        "                    self._commands.strike(now)\n                    self._punish(now)\n",
        "                    pass\n",
        f"{_SESSIONS}::TestRates::test_count_a_pong_that_nobody_asked_for_as_a_strike",
    ),
    Defence(
        18,
        _SESSION,
        "if self._ponged < n <= self._pings:",
        "if n <= self._pings:",
        f"{_SESSIONS}::TestRates::test_count_a_pong_that_comes_twice_as_a_strike",
    ),
    Defence(
        19,
        _SESSION,
        "            self._hold(partial(trio.sleep_until, now + self._limits.pause))\n",
        "            pass\n",
        f"{_SESSIONS}::TestRates::test_refuse_what_is_beyond_and_part_at_the_third",
    ),
    Defence(
        19,
        _SESSION,
        "if self._commands.strikes >= self._limits.strikes:",
        "if False:",
        f"{_SESSIONS}::TestRates::test_refuse_what_is_beyond_and_part_at_the_third",
    ),
    Defence(
        20,
        f"{_SERVER}/timing.py",
        "if len(self._done) >= self._most or self._sum + amount > self._most_amount:",
        "if len(self._done) >= self._most:",
        "tests/server/test_timing.py::TestRecent::test_bounds_the_amount_and_counts_nothing_that_was_refused",
    ),
    Defence(
        20,
        f"{_SERVER}/lobby.py",
        " or own >= self._limits.rooms_of_player:",
        ":",
        "tests/server/test_lobby.py::TestRooms::test_there_is_a_bound_on_the_rooms_that_one_has_made",
    ),
    Defence(
        21,
        "kille_net/wire/scan.py",
        "            _limit(count, MAX_MAP if is_map else MAX_ARRAY)\n",
        "",
        "tests/wire/test_scan.py::test_a_container_has_its_limit_in_any_width",
    ),
    Defence(
        21,
        "kille_net/wire/codec.py",
        "    scan(payload)\n",
        "",
        "tests/wire/test_bounds.py::test_a_bomb_builds_next_to_nothing",
    ),
    Defence(
        22,
        "kille_net/wire/scan.py",
        "            _limit(len(outer), MAX_DEPTH)\n",
        "",
        "tests/wire/test_scan.py::test_depth_counts_containers_also_empty_ones",
    ),
    Defence(
        23,
        "kille_net/wire/codec.py",
        "    if len(fields) != len(pairs):\n",
        "    if False:\n",
        "tests/wire/test_codec.py::test_a_key_comes_once",
    ),
    Defence(
        23,
        "kille_net/wire/codec.py",
        "kind, strict=True)",
        "kind, strict=False)",
        "tests/wire/test_codec.py::test_a_field_takes_only_its_own_forms",
    ),
    Defence(
        24,
        _SESSION,
        "        if version is None:\n",
        "        version = version or 1\n        if not version:\n",
        f"{_SESSIONS}::TestGreeting::test_turns_away",
    ),
    Defence(
        26,
        "kille_net/client/session.py",
        "                raise self.blame(error) from None\n",
        "                raise\n",
        "tests/client/test_session.py::test_a_server_that_breaks_the_protocol_is_told_so",
    ),
    Defence(
        27,
        "kille_net/game/views.py",
        "return Swapped(seat, target, _only_harlekin(gave), _only_harlekin(got))",
        "return Swapped(seat, target, gave, got)",
        "tests/server/test_secrets.py::test_no_frame_holds_a_card_outside_its_receivers_view",
    ),
    Defence(
        31,
        "kille_net/game/hand.py",
        "return Refusal.NOT_ASKED if action.is_answer else Refusal.NOT_YOUR_TURN",
        "return Refusal.NOT_ASKED if self.table.card(self.order[-1]) > Card.N7 else Refusal.NOT_YOUR_TURN",
        "tests/catalogue/test_refusals.py::test_a_refusal_tells_of_nothing_hidden",
    ),
    Defence(
        34,
        "kille_net/game/shuffle.py",
        "tuple(256 - 256 % m if m else 0 for m in range(len(FULL_PACK) + 1))",
        "tuple(256 for m in range(len(FULL_PACK) + 1))",
        f"{_FAIR}::test_every_byte_at_every_step_is_taken_or_passed_over_as_it_must_be",
    ),
    Defence(
        34,
        "kille_net/game/shuffle.py",
        "k = byte % (i + 1)",
        "k = byte % i",
        f"{_FAIR}::test_every_card_falls_on_every_place_alike",
    ),
    Defence(
        35,
        f"{_SERVER}/serve.py",
        "Material(secrets.token_bytes(SECRET_SIZE), ",
        "Material(bytes(SECRET_SIZE), ",
        f"{_FAIR}::test_no_two_matches_have_a_secret_or_an_id_in_common",
    ),
    Defence(
        36,
        "pyproject.toml",
        '"S311", "SIM"',
        '"SIM"',
        f"{_FAIR}::test_the_lint_that_refuses_it_holds_for_the_server",
    ),
    Defence(
        37,
        _SHUFFLING,
        " or commit(draw.match, secret) != draw.commitment:",
        ":",
        f"{_CHEATS}::test_a_server_that_cheats_is_caught[another secret]",
    ),
    Defence(
        37,
        _SHUFFLING,
        "if told != draw.digest:",
        "if False:",
        f"{_CHEATS}::test_a_server_that_cheats_is_caught[our digest replaced]",
    ),
    Defence(
        37,
        _SHUFFLING,
        "        if wrong:\n",
        "        if False:\n",
        f"{_CHEATS}::test_a_server_that_cheats_is_caught[nonces in another order]",
    ),
    Defence(
        37,
        _SHUFFLING,
        "draw.nonces is None or not self._is_over:",
        "draw.nonces is None:",
        f"{_CHEATS}::test_a_server_that_cheats_is_caught[a secret that comes early]",
    ),
    Defence(
        37,
        _SHUFFLING,
        "if is_fresh and match_id in self._matches:",
        "if False:",
        f"{_CHEATS}::test_a_transcript_that_is_played_again_is_caught",
    ),
    Defence(
        37,
        _SHUFFLING,
        "        if finding.wrong_dealer:\n",
        "        if False:\n",
        f"{_CHEATS}::test_another_first_dealer_is_caught",
    ),
    Defence(
        37,
        _SHUFFLING,
        "        if finding.wrong_hand is not None:\n",
        "        if False:\n",
        f"{_CHEATS}::test_a_stacked_pack_is_caught_by_the_seat_that_was_dealt_from_it",
    ),
    Defence(
        37,
        _SHUFFLING,
        'return self._fault("unshuffled" if draw is None else "no_secret")',
        "return []",
        f"{_CHEATS}::test_a_server_that_cheats_is_caught[no secret]",
    ),
    Defence(
        37,
        _SHUFFLING,
        "if draw.seat in seats and draw.is_in:",
        "if False:",
        f"{_CHEATS}::test_a_server_that_cheats_is_caught[a void that blames us for nothing]",
    ),
    Defence(
        37,
        _SHUFFLING,
        "if message.dealer is not None and message.dealer != was:",
        "if False:",
        f"{_CHEATS}::test_a_dealer_who_is_named_in_a_first_match_is_caught",
    ),
    Defence(
        37,
        f"{_SERVER}/drawing.py",
        "        if withheld:\n",
        "        if False:\n",
        f"{_DRAWING}::test_a_nonce_that_is_kept_back_voids_the_start",
    ),
    Defence(
        37,
        f"{_SERVER}/drawing.py",
        " - self._without\n",
        "\n",
        f"{_DRAWING}::test_each_seat_can_void_only_one_start",
    ),
    Defence(
        37,
        f"{_SERVER}/drawing.py",
        "self._awaited = set(self._commits)",
        "self._awaited = set()",
        f"{_DRAWING}::test_the_server_is_bound_then_the_seats_then_all_is_shown_and_dealt",
    ),
    Defence(
        37,
        "kille_net/game/replay.py",
        "if material.commitment != self._commitment:",
        "if False:",
        "tests/game/test_sealed.py::test_an_alteration_is_found_on_its_line",
    ),
    Defence(
        38,
        f"{_SERVER}/tickets.py",
        "self._keep(player, self._digests[player][-1:])",
        "pass",
        "tests/server/test_resume.py::TestTickets::test_the_one_shown_is_good_until_the_new_one_is_known_to_have_come",
    ),
    Defence(
        39,
        f"{_SERVER}/serve.py",
        "            before.end(ByeCode.REPLACED)\n",
        "            pass\n",
        f"{_SESSIONS}::TestComingBack::test_the_old_connection_is_fenced_at_once",
    ),
    Defence(
        41,
        "kille_net/client/connecting.py",
        "    if trust.check(host, port, found):\n",
        "    if found:\n",
        "tests/client/test_connecting.py::test_a_server_with_another_key_is_refused_also_when_it_comes_back",
    ),
    Defence(
        41,
        "kille_net/client/trust.py",
        "            raise KeyChanged(address_of(host, port), old=old, new=fingerprint)\n",
        "            pass\n",
        "tests/client/test_trust.py::test_another_key_is_refused_until_the_user_takes_it",
    ),
    Defence(
        41,
        "kille_net/client/trust.py",
        "            if is_known and not self.takes_changed:\n",
        "            if False:\n",
        "tests/client/test_trust.py::test_plain_text_does_not_follow_on_tls",
    ),
    Defence(
        42,
        f"{_SERVER}/proving.py",
        "self._lockout.fail(address, trio.current_time())",
        "pass",
        f"{_PASSWORDS}::TestTries::test_are_five_a_minute_from_one_address",
    ),
    Defence(
        42,
        f"{_SERVER}/proving.py",
        "        async with self._turn:\n",
        "        if True:\n",
        f"{_PASSWORDS}::TestTries::test_are_five_also_when_fifty_come_at_once",
    ),
    Defence(
        42,
        f"{_SERVER}/proving.py",
        "    return await trio.to_thread.run_sync(partial(prove, trial))\n",
        "    return prove(trial)\n",
        f"{_PASSWORDS}::TestTries::test_keep_nobody_else_waiting",
    ),
    Defence(
        33,
        f"{_SERVER}/logs.py",
        '    return f"{type(error).__name__} at',
        '    return f"{error!r} at',
        "tests/server/test_secrets.py::test_the_log_holds_no_card_seed_ticket_password_or_byte_of_a_peer",
    ),
    Defence(
        46,
        f"{_SERVER}/running.py",
        "is_between and self._is_stopping",
        "False and is_between",
        "tests/server/test_drain.py::test_a_hand_is_played_to_its_end_and_no_other_is_begun",
    ),
    Defence(
        46,
        f"{_SERVER}/serve.py",
        "            if not self._is_halted:\n",
        "            if True:\n",
        "tests/server/test_drain.py::test_nobody_plays_for_those_whom_the_server_parts_from",
    ),
    Defence(
        47,
        f"{_SERVER}/serve.py",
        "        with trio.move_on_after(_GOODBYE):\n",
        "        if True:\n",
        "tests/server/test_drain.py::test_a_client_that_takes_nothing_and_two_hundred_that_do_not_close_hold_nothing_up",
    ),
    Defence(
        44,
        "kille_net/wire/text.py",
        "        return _REPLACEMENT\n",
        "        return char\n",
        "tests/wire/test_text.py::test_no_code_point_gets_through_that_may_not",
    ),
    Defence(
        45,
        "kille_net/client/texts.py",
        "    return TEXTS[lang][key].format(**values)\n",
        "    return TEXTS[lang][key].format(**values).format()\n",
        "tests/catalogue/test_markup.py::test_what_looks_like_markup_is_shown_as_it_is",
    ),
    Defence(
        28,
        f"{_SERVER}/running.py",
        "window = self._while_people(self._options.window)",
        "window = self._while_people(self._options.window) * (1 + self.match.hand.table.holds(19))",
        f"{_WORLDS}::test_the_viewer_is_sent_the_same",
    ),
    Defence(
        30,
        f"{_SERVER}/running.py",
        "pause = pace * (1 + _PACE_SPREAD",
        "pause = pace * (1 + (self.match.hand.table.card(seat) or 0) / 20 + _PACE_SPREAD",
        f"{_WORLDS}::test_the_time_that_a_computer_takes_has_nothing_to_do_with_its_card",
    ),
    Defence(
        40,
        f"{_SERVER}/answers.py",
        "return command_id > self._forgotten and command_id not in self._answers",
        "return True",
        "tests/simulation/test_worlds.py::test_worlds",
    ),
    Defence(
        52,
        f"{_SERVER}/room.py",
        "return first + self._away",
        "return first + self._away + 1.0",
        "tests/simulation/test_worlds.py::test_worlds",
    ),
    Defence(
        55,
        "tests/simulation/world.py",
        'patch.setattr(random, "_urandom", drawn.randbytes)',
        "",
        "tests/simulation/test_worlds.py::test_the_same_seed_gives_the_same_trace",
    ),
)
