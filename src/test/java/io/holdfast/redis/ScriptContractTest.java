package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptContractTest {
  private static final String GOOD =
      """
      -- place: hold every item asked for, or none of them.
      --
      -- KEYS[1]    meta     {p:<pool>}:meta          hash: state, epoch
      -- KEYS[2..]  item     {p:<pool>}:item:<item>   string: "<hold_id> <fence>"
      -- ARGV[1]    run_id   of the server at the other end
      -- ARGV[2]    hold_id  ARGV[3] lease_ms
      --
      -- Returns    {'HELD', fence} | {'TAKEN', item…}
      --            | {'UNSEEDED'} | {'REPLAY', outcome}
      -- Writes     the hold only with HELD
      -- Replay     same token: REPLAY with the first outcome
      -- Cost       O(items)

      local now = redis.call('TIME')
      local meta = redis.call('HMGET', KEYS[1], 'state', 'run_id') -- not KEYS[9]
      local function seen(hold)
        if not hold then
          return {'UNSEEDED'}
        end
        return {'REPLAY', hold}
      end
      local function parts(text)
        return {text, '--', 'x'}
      end
      if meta[1] ~= 'OPEN' or meta[2] ~= ARGV[1] then
        return seen(meta[1])
      end
      local taken = {'TAKEN'}
      for i = 2, #KEYS do
        if redis.call('EXISTS', KEYS[i]) == 1 then
          table.insert(taken, KEYS[i])
        end
      end
      if #taken > 1 then
        return taken
      end
      redis.call('SET', KEYS[2], parts(ARGV[2])[1], 'PX', ARGV[3])
      return {'HELD', string.format('%.0f', now[1])}
      """;

  private static final String OF_CALLS =
      """
      -- end: end holds before their time.
      --
      -- KEYS[1]    meta     {p:<pool>}:meta
      -- ARGV[1]    run_id   of the server at the other end
      -- ARGV[2..]  calls    fence, token
      --
      -- Returns    for each call: ENDED record | NOT_HELD | ABSENT it never was
      --            | REPLAY outcome
      --            or for all of them: UNSEEDED why
      -- Writes     the end of the hold
      -- Replay     REPLAY with the first outcome
      -- Cost       O(calls)

      local format, call = string.format, redis.call
      local function unused()
        return 'FORGOTTEN'
      end
      local function remember(outcome)
        return outcome
      end
      local function reason(hold)
        return hold == 'HELD' and 'LEASE' or 'WINDOW'
      end
      local function finish(fence, token)
        local outcome
        if call('EXISTS', token) == 1 then
          return 'REPLAY\\t' .. token
        end
        if fence == '0' then
          outcome = 'NOT_HELD'
        else
          return remember('ENDED\\t' .. reason(fence))
        end
        return remember(outcome)
      end
      if redis.call('HGET', KEYS[1], 'run_id') ~= ARGV[1] then
        return {'UNSEEDED\\tMOVED'}
      end
      local outcomes = {}
      for at = 2, #ARGV, 2 do
        outcomes[#outcomes + 1] = ARGV[at] == '' and 'ABSENT' or finish(ARGV[at], ARGV[at + 1])
      end
      return outcomes
      """;

  @Test
  void a_script_that_does_what_its_header_says_is_accepted() {
    assertThat(ScriptContract.breaches("hold/place", GOOD)).isEmpty();
    assertThat(ScriptContract.breaches("hold/end", OF_CALLS)).isEmpty();
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '`',
      textBlock =
          """
          return 'REPLAY                 => return 'AGAIN              => the code [ABSENT, AGAIN,
          outcome = 'NOT_HELD'           => outcome = 'OVER'           => OVER, REPLAY
          remember('ENDED                => remember('STOPPED          => NOT_HELD, REPLAY, STOPPED
          and 'ABSENT'                   => and 'GONE'                 => the code [ENDED, GONE,
          {'UNSEEDED                     => {'MOVED                    => MOVED, NOT_HELD
          call('EXISTS', token)          => call(verb, token)          => no literal command
          call('EXISTS', token)          => call('KEYS', token)        => KEYS has no place
          string.format, redis.call      => string.rep, redis.call     => no literal command
          return outcomes                => return call                => no literal word: return call
          """)
  void a_script_of_many_calls_that_departs_from_its_header_is_refused(
      String original, String changed, String sentence) {
    var bad = OF_CALLS.replace(original, changed);

    assertThat(bad).isNotEqualTo(OF_CALLS);
    assertThat(ScriptContract.breaches("hold/end", bad))
        .anySatisfy(breach -> assertThat(breach).contains(sentence));
  }

  @Test
  void a_script_is_named_by_its_header_as_by_its_file() {
    assertThat(ScriptContract.breaches("hold/replace", GOOD))
        .containsExactly("the header calls it place");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '`',
      textBlock =
          """
          -- place: hold every           => -- hold every              => first line must be
          -- place: hold every item asked for, or none of them. => local x => first line must be
          -- Cost       O(items)         => --                         => nothing under Cost
          -- Cost       O(items)         => -- Cost                    => nothing under Cost
          -- Writes     the hold only with HELD => --                  => nothing under Writes
          -- Replay     same token       => -- Again      same token   => belongs to nothing
          -- Replay     same token: REPLAY => -- Replay     same token: OLD => Replay names [OLD]
          -- KEYS[2..]  item             => -- KEYS[3..]  item         => KEYS[2] is due
          -- KEYS[1]    meta             => -- KEYS[1..]  meta         => only the last of KEYS
          -- KEYS[2..]  item             => -- KEYS[2]    item         => KEYS is used beyond plain
          {p:<pool>}:item:<item>         => item:<item>                => KEYS[2] shows no {p:<pool>}:
          run_id   of the server         => run_id   not used: of it => ARGV[1] is used, though
          ARGV[3] lease_ms               => ARGV[4] lease_ms           => ARGV[3] is due
          ARGV[3] lease_ms               => and nothing more           => ARGV[3] is used, but not
          'PX', ARGV[3])                 => 'PX', '5')                 => ARGV[3] is listed, but not
          string.format('%.0f', now[1])  => ARGV[4]                    => ARGV[4] is used, but not
          parts(ARGV[2])[1]              => unpack(ARGV)               => ARGV is used beyond plain
          | {'UNSEEDED'}                 => | {'UNSEEDED'} | {'LATE'}  => the header returns
          return {'HELD',                => return {'GIVEN',           => the code [GIVEN,
          return {'HELD',                => return {word,              => no literal word: return { word
          return taken                   => return meta                => no literal word: return meta
          return {'REPLAY', hold}        => return {hold, 'REPLAY'}    => no literal word: return { hold
          return seen(meta[1])           => return redis.status_reply('NO') => literal word: return redis
          redis.call('EXISTS', KEYS[i])  => redis.call('keys', KEYS[i]) => KEYS has no place
          redis.call('EXISTS', KEYS[i])  => redis.call('SCAN', KEYS[i]) => SCAN has no place
          redis.call('EXISTS', KEYS[i])  => redis.call(verb, KEYS[i])  => no literal command
          redis.call('EXISTS', KEYS[i])  => redis.call('TIME', KEYS[i]) => TIME is read once
          'PX', ARGV[3])                 => 'PX', ARGV[3] * math.random(2)) => chance has no place
          string.format('%.0f', now[1])  => tostring(now[1])           => printed by string.format
          """)
  void a_script_that_departs_from_its_header_is_refused(
      String original, String changed, String sentence) {
    var bad = GOOD.replace(original, changed);

    assertThat(bad).isNotEqualTo(GOOD);
    assertThat(ScriptContract.breaches("hold/place", bad))
        .anySatisfy(breach -> assertThat(breach).contains(sentence));
  }
}
