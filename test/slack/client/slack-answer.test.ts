import { describe, expect, it } from 'vitest'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import {
  didNotHappen,
  isRevokedToken,
  mayHaveHappened,
  saidNo,
  slackAnswer,
} from '../../../packages/slack/src/client/slack-answer.ts'

const said = (code: string): Error => new Error(`An API error occurred: ${code}`)
const withCode = (code: string): Error => Object.assign(new Error('Words of the library.'), { code })
const limited = (retryAfter: unknown): Error => Object.assign(new Error('429'), { retryAfter })
const withoutTime = new Error(
  'Retry header did not contain a valid timeout (url: u, retry-after header: null)',
)

it.each([
  { error: said('message_not_found'), means: { kind: 'message-gone' } },
  { error: said('cant_update_message'), means: { kind: 'message-gone' } },
  { error: said('is_archived'), means: { kind: 'channel-dead', why: 'archived' } },
  { error: said('not_in_channel'), means: { kind: 'channel-dead', why: 'not-in-channel' } },
  { error: said('channel_not_found'), means: { kind: 'channel-dead', why: 'not-in-channel' } },
  { error: said('restricted_action'), means: { kind: 'channel-dead', why: 'refused' } },
  { error: said('user_not_found'), means: { kind: 'channel-dead', why: 'refused' } },
  { error: said('missing_scope'), means: { kind: 'channel-dead', why: 'refused' } },
  { error: said('restricted_action_thread_locked'), means: { kind: 'thread-closed' } },
  { error: said('cannot_reply_to_message'), means: { kind: 'thread-closed' } },
  { error: said('block_mismatch'), means: { kind: 'bad-message' } },
  // A workspace's error, and an unknown one.
  ...[
    'update_failed',
    'external_channel_migrating',
    'message_limit_exceeded',
    'org_login_required',
    'a_code_of_tomorrow',
  ].map((code) => ({ error: said(code), means: { kind: 'passing' } })),
  { error: said('msg_blocks_too_long'), means: { kind: 'bad-message' } },
  { error: said('internal_error'), means: { kind: 'passing' } },
  { error: said('invalid_auth'), means: { kind: 'passing' } },
  { error: said('ratelimited'), means: { kind: 'rate-limited', retryMs: 5000 } },
  { error: limited(7), means: { kind: 'rate-limited', retryMs: 7000 } },
  { error: limited('soon'), means: { kind: 'rate-limited', retryMs: 5000 } },
  { error: limited(100_000), means: { kind: 'rate-limited', retryMs: 3_600_000 } },
  { error: withoutTime, means: { kind: 'rate-limited', retryMs: 5000 } },
  { error: new Error('socket hang up'), means: { kind: 'passing' } },
  { error: new UserError('Not installed.'), means: { kind: 'uninstalled' } },
  { error: 'thrown', means: { kind: 'passing' } },
])('classifies $error as $means.kind', ({ error, means }) => {
  expect(slackAnswer(error)).toEqual(means)
})

describe('the result of a call', () => {
  const NO = { saidNo: true, didNotHappen: true, mayHaveHappened: false }
  const LIMITED = { saidNo: false, didNotHappen: true, mayHaveHappened: false }
  const IN_DOUBT = { saidNo: false, didNotHappen: false, mayHaveHappened: true }
  it.each([
    { what: 'a refusal', error: said('is_archived'), known: NO },
    { what: 'a rejected token', error: said('account_inactive'), known: NO },
    { what: 'an uninstalled app', error: new UserError('Not installed.'), known: NO },
    { what: 'rate limiting', error: limited(7), known: LIMITED },
    { what: 'rate limiting, by its code', error: said('ratelimited'), known: LIMITED },
    { what: 'rate limiting without a time', error: withoutTime, known: LIMITED },
    { what: 'a Slack error', error: said('internal_error'), known: IN_DOUBT },
    { what: 'a lost response', error: withCode('slack_webapi_request_error'), known: IN_DOUBT },
    { what: 'a gateway’s response', error: withCode('slack_webapi_http_error'), known: IN_DOUBT },
  ])('says whether the call happened: $what', ({ error, known }) => {
    expect({
      saidNo: saidNo(error),
      didNotHappen: didNotHappen(error),
      mayHaveHappened: mayHaveHappened(error),
    }).toEqual(known)
  })
})

it('distinguishes a revoked token from a missing scope', () => {
  expect(isRevokedToken(said('token_revoked'))).toBe(true)
  expect(isRevokedToken(said('missing_scope'))).toBe(false)
})
