import { expect, it } from 'vitest'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import {
  classifyFailure,
  didNotHappen,
  isEndedToken,
  mayHaveHappened,
  wasRejected,
} from '../../../packages/slack/src/client/slack-errors.ts'

const slackError = (code: string): Error => new Error(`An API error occurred: ${code}`)
const withCode = (code: string): Error =>
  Object.assign(new Error('An error from the Slack client.'), { code })
const rateLimited = (retryAfter: unknown): Error => Object.assign(new Error('429'), { retryAfter })
const rateLimitedWithoutTime = new Error(
  'Retry header did not contain a valid timeout (url: u, retry-after header: null)',
)

// documented-codes.test.ts has every code that Slack documents for posting and editing.
it.each([
  { error: slackError('user_not_found'), failure: { kind: 'channel-unavailable', reason: 'refused' } },
  { error: slackError('a_future_code'), failure: { kind: 'temporary' } },
  { error: rateLimited(7), failure: { kind: 'rate-limited', retryMs: 7000 } },
  { error: rateLimited('soon'), failure: { kind: 'rate-limited', retryMs: 5000 } },
  { error: rateLimited(100_000), failure: { kind: 'rate-limited', retryMs: 3_600_000 } },
  { error: rateLimitedWithoutTime, failure: { kind: 'rate-limited', retryMs: 5000 } },
  { error: slackError('ratelimited'), failure: { kind: 'rate-limited', retryMs: 5000 } },
  { error: new Error('socket hang up'), failure: { kind: 'temporary' } },
  { error: new UserError('Not installed.'), failure: { kind: 'uninstalled' } },
  { error: 'thrown', failure: { kind: 'temporary' } },
])('classifies $error as $failure.kind', ({ error, failure }) => {
  expect(classifyFailure(error)).toEqual(failure)
})

const REJECTED = { wasRejected: true, didNotHappen: true, mayHaveHappened: false }
const LIMITED = { wasRejected: false, didNotHappen: true, mayHaveHappened: false }
const IN_DOUBT = { wasRejected: false, didNotHappen: false, mayHaveHappened: true }
it.each([
  { name: 'a refusal', error: slackError('is_archived'), expected: REJECTED },
  { name: 'an ended token', error: slackError('account_inactive'), expected: REJECTED },
  { name: 'a rejected token', error: slackError('invalid_auth'), expected: REJECTED },
  { name: 'an uninstalled app', error: new UserError('Not installed.'), expected: REJECTED },
  { name: 'rate limiting', error: rateLimited(7), expected: LIMITED },
  { name: 'rate limiting, by its code', error: slackError('ratelimited'), expected: LIMITED },
  { name: 'rate limiting without a time', error: rateLimitedWithoutTime, expected: LIMITED },
  { name: 'a Slack error', error: slackError('internal_error'), expected: IN_DOUBT },
  { name: 'another Slack error', error: slackError('fatal_error'), expected: IN_DOUBT },
  { name: 'a lost response', error: withCode('slack_webapi_request_error'), expected: IN_DOUBT },
  { name: 'a gateway’s response', error: withCode('slack_webapi_http_error'), expected: IN_DOUBT },
])('the error of a call shows whether the call took effect: $name', ({ error, expected }) => {
  expect({
    wasRejected: wasRejected(error),
    didNotHappen: didNotHappen(error),
    mayHaveHappened: mayHaveHappened(error),
  }).toEqual(expected)
})

it.each([
  ['account_inactive', true],
  ['token_revoked', true],
  ['invalid_auth', false],
  ['token_expired', false],
  ['not_authed', false],
  ['team_added_to_org', false],
  ['org_login_required', false],
  ['access_denied', false],
  ['missing_scope', false],
  ['some_new_code', false],
])('says whether %s means that an installation has ended', (code, hasEnded) => {
  expect(isEndedToken(slackError(code))).toBe(hasEnded)
})
