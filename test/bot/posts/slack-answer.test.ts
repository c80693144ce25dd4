import { expect, it } from 'vitest'
import { slackAnswer } from '../../../src/bot/posts/slack-answer.ts'
import { UserError } from '../../../src/errors.ts'

const said = (code: string): Error => new Error(`An API error occurred: ${code}`)

it.each([
  { error: said('message_not_found'), means: { kind: 'message-gone' } },
  { error: said('cant_update_message'), means: { kind: 'message-gone' } },
  { error: said('is_archived'), means: { kind: 'channel-dead', why: 'archived' } },
  { error: said('not_in_channel'), means: { kind: 'channel-dead', why: 'not-in-channel' } },
  { error: said('channel_not_found'), means: { kind: 'channel-dead', why: 'not-in-channel' } },
  { error: said('restricted_action'), means: { kind: 'channel-dead', why: 'refused' } },
  { error: said('a_code_of_tomorrow'), means: { kind: 'channel-dead', why: 'refused' } },
  { error: said('msg_blocks_too_long'), means: { kind: 'bad-message' } },
  { error: said('internal_error'), means: { kind: 'passing' } },
  { error: said('invalid_auth'), means: { kind: 'passing' } },
  { error: said('ratelimited'), means: { kind: 'rate-limited', retryMs: 5000 } },
  {
    error: Object.assign(new Error('429'), { retryAfter: 7 }),
    means: { kind: 'rate-limited', retryMs: 7000 },
  },
  {
    error: Object.assign(new Error('429'), { retryAfter: 'soon' }),
    means: { kind: 'rate-limited', retryMs: 5000 },
  },
  { error: new Error('socket hang up'), means: { kind: 'passing' } },
  { error: new UserError('Not installed.'), means: { kind: 'uninstalled' } },
  { error: 'thrown', means: { kind: 'passing' } },
])('takes $error for $means.kind', ({ error, means }) => {
  expect(slackAnswer(error)).toEqual(means)
})
