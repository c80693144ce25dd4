import { describe, expect, it } from 'vitest'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import {
  classifyFailure,
  didNotHappen,
  isRevokedToken,
  mayHaveHappened,
  wasRejected,
} from '../../../packages/slack/src/client/slack-errors.ts'

const slackError = (code: string): Error => new Error(`An API error occurred: ${code}`)
const withCode = (code: string): Error => Object.assign(new Error('An error of the library.'), { code })
const rateLimited = (retryAfter: unknown): Error => Object.assign(new Error('429'), { retryAfter })
const withoutTime = new Error(
  'Retry header did not contain a valid timeout (url: u, retry-after header: null)',
)

it.each([
  { error: slackError('message_not_found'), means: { kind: 'message-gone' } },
  { error: slackError('cant_update_message'), means: { kind: 'message-gone' } },
  { error: slackError('is_archived'), means: { kind: 'channel-unavailable', reason: 'archived' } },
  { error: slackError('not_in_channel'), means: { kind: 'channel-unavailable', reason: 'not-in-channel' } },
  {
    error: slackError('channel_not_found'),
    means: { kind: 'channel-unavailable', reason: 'not-in-channel' },
  },
  { error: slackError('restricted_action'), means: { kind: 'channel-unavailable', reason: 'refused' } },
  { error: slackError('user_not_found'), means: { kind: 'channel-unavailable', reason: 'refused' } },
  { error: slackError('missing_scope'), means: { kind: 'channel-unavailable', reason: 'refused' } },
  { error: slackError('restricted_action_thread_locked'), means: { kind: 'thread-closed' } },
  { error: slackError('cannot_reply_to_message'), means: { kind: 'thread-closed' } },
  { error: slackError('block_mismatch'), means: { kind: 'bad-message' } },
  // Errors about the workspace, and an unknown one.
  ...[
    'update_failed',
    'external_channel_migrating',
    'message_limit_exceeded',
    'org_login_required',
    'a_code_of_tomorrow',
  ].map((code) => ({ error: slackError(code), means: { kind: 'temporary' } })),
  { error: slackError('msg_blocks_too_long'), means: { kind: 'bad-message' } },
  { error: slackError('internal_error'), means: { kind: 'temporary' } },
  { error: slackError('invalid_auth'), means: { kind: 'temporary' } },
  { error: slackError('ratelimited'), means: { kind: 'rate-limited', retryMs: 5000 } },
  { error: rateLimited(7), means: { kind: 'rate-limited', retryMs: 7000 } },
  { error: rateLimited('soon'), means: { kind: 'rate-limited', retryMs: 5000 } },
  { error: rateLimited(100_000), means: { kind: 'rate-limited', retryMs: 3_600_000 } },
  { error: withoutTime, means: { kind: 'rate-limited', retryMs: 5000 } },
  { error: new Error('socket hang up'), means: { kind: 'temporary' } },
  { error: new UserError('Not installed.'), means: { kind: 'uninstalled' } },
  { error: 'thrown', means: { kind: 'temporary' } },
])('classifies $error as $means.kind', ({ error, means }) => {
  expect(classifyFailure(error)).toEqual(means)
})

describe('the result of a call', () => {
  const REJECTED = { wasRejected: true, didNotHappen: true, mayHaveHappened: false }
  const LIMITED = { wasRejected: false, didNotHappen: true, mayHaveHappened: false }
  const IN_DOUBT = { wasRejected: false, didNotHappen: false, mayHaveHappened: true }
  it.each([
    { what: 'a refusal', error: slackError('is_archived'), expected: REJECTED },
    { what: 'a rejected token', error: slackError('account_inactive'), expected: REJECTED },
    { what: 'an uninstalled app', error: new UserError('Not installed.'), expected: REJECTED },
    { what: 'rate limiting', error: rateLimited(7), expected: LIMITED },
    { what: 'rate limiting, by its code', error: slackError('ratelimited'), expected: LIMITED },
    { what: 'rate limiting without a time', error: withoutTime, expected: LIMITED },
    { what: 'a Slack error', error: slackError('internal_error'), expected: IN_DOUBT },
    { what: 'a lost response', error: withCode('slack_webapi_request_error'), expected: IN_DOUBT },
    { what: 'a gateway’s response', error: withCode('slack_webapi_http_error'), expected: IN_DOUBT },
  ])('says whether the call happened: $what', ({ error, expected }) => {
    expect({
      wasRejected: wasRejected(error),
      didNotHappen: didNotHappen(error),
      mayHaveHappened: mayHaveHappened(error),
    }).toEqual(expected)
  })
})

it('distinguishes a revoked token from a missing scope', () => {
  expect(isRevokedToken(slackError('token_revoked'))).toBe(true)
  expect(isRevokedToken(slackError('missing_scope'))).toBe(false)
})
