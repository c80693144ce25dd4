import { describe, expect, it } from 'vitest'
import { LeaseLost } from '../../../packages/durable/src/work/steps.ts'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import { postOrEdit } from '../../../src/bot/posts/post-or-edit.ts'
import { CONTENT, LIMITED, PLACE, slackError, startPosting } from './posting.ts'

describe('a message that is kept up to date', () => {
  it('is posted once and edited after that', async () => {
    await using posting = await startPosting([])
    const { calls, deps, message, leased } = posting
    const location = { channelId: 'C1', ts: '9' }
    expect(await postOrEdit(deps, leased, message)).toEqual({ kind: 'shown', posted: location })
    await postOrEdit(deps, leased, { ...message, existing: location })
    expect(calls).toEqual(['post divider', 'recorded ts 9 at version 3', 'edit 9 divider', 'edited'])
  })

  it('is found after a lost response, and edited to the current state', async () => {
    await using posting = await startPosting([new Error('socket hang up')])
    const { calls, deps, message, leased } = posting
    expect(await postOrEdit(deps, leased, message)).toMatchObject({ kind: 'later', reason: 'temporary' })
    expect(await postOrEdit(deps, leased, { ...message, version: 4 })).toMatchObject({ kind: 'shown' })
    expect(calls).toEqual(['post divider', 'recorded ts 8 at version 3', 'edit 8 divider', 'edited'])
  })

  it('isn’t edited after a lost response if its content is fixed', async () => {
    await using posting = await startPosting([new Error('socket hang up')])
    const { calls, deps, message, leased } = posting
    const line = { ...message, onEdited: undefined, target: { ...PLACE, threadTs: '1' } }
    await postOrEdit(deps, leased, line)
    expect(await postOrEdit(deps, leased, line)).toMatchObject({ kind: 'shown' })
    expect(calls).toEqual(['reply 1', 'recorded ts 8 at version 3'])
  })

  it('is edited to its text instead of being posted again if Slack rejects its blocks', async () => {
    await using posting = await startPosting([new Error('socket hang up'), slackError('invalid_blocks')])
    const { calls, deps, message, leased } = posting
    await postOrEdit(deps, leased, message)
    expect(await postOrEdit(deps, leased, message)).toMatchObject({ kind: 'shown' })
    expect(calls).toEqual([
      'post divider',
      'recorded ts 8 at version 3',
      'edit 8 divider',
      'edit 8 undefined',
      'edited',
    ])
  })

  it.each([
    { error: slackError('message_not_found'), kind: 'gone' },
    { error: slackError('restricted_action_thread_locked'), kind: 'rejected', reason: 'thread-closed' },
    { error: slackError('is_archived'), kind: 'closed', reason: 'archived' },
    { error: slackError('not_in_channel'), kind: 'closed', reason: 'not-in-channel' },
    { error: slackError('internal_error'), kind: 'later', reason: 'temporary' },
    { error: new UserError('It is not installed.'), kind: 'later', reason: 'uninstalled' },
    { error: LIMITED, kind: 'later', end: { state: 'waiting', dueInMs: 7000, isSuccess: true } },
  ])('has the outcome $kind if Slack responds with "$error.message"', async ({ error, ...outcome }) => {
    await using posting = await startPosting([error])
    const { deps, message, leased } = posting
    expect(await postOrEdit(deps, leased, message)).toMatchObject({ ...outcome, error })
  })

  it('is sent only as text if Slack refuses its content, and fails if Slack refuses that, too', async () => {
    await using posting = await startPosting([slackError('invalid_blocks')])
    const { calls, texts, deps, message, leased } = posting
    expect(await postOrEdit(deps, leased, message)).toMatchObject({ kind: 'shown' })
    expect(calls).toEqual(['post divider', 'post undefined', 'recorded ts 9 at version 3'])
    expect(texts).toEqual([CONTENT.text, CONTENT.text])
    await using refusing = await startPosting([slackError('invalid_blocks'), slackError('no_text')])
    const outcome = await postOrEdit(refusing.deps, refusing.leased, refusing.message)
    expect(outcome).toMatchObject({ kind: 'rejected', reason: 'bad-message' })
  })

  it.each(['shared-outside', 'readers-unknown', 'archived'] as const)(
    'isn’t posted where it may not be: %s',
    async (permission) => {
      await using posting = await startPosting([], permission)
      const { deps, message, leased } = posting
      expect(await postOrEdit(deps, leased, message)).toMatchObject({ kind: 'closed', reason: permission })
      expect(posting.calls).toEqual([])
    },
  )

  it.each([
    ['shared-outside', 'closed'],
    ['readers-unknown', 'closed'],
    ['archived', 'shown'],
  ] as const)('is edited only where others don’t read it: %s', async (permission, kind) => {
    await using posting = await startPosting([], permission)
    const { deps, message, leased } = posting
    const edited = { ...message, existing: { channelId: 'C1', ts: '9' } }
    expect(await postOrEdit(deps, leased, edited)).toMatchObject({ kind })
    expect(posting.calls.length > 0).toBe(kind === 'shown')
  })

  it.each([undefined, { channelId: 'C1', ts: '1' }])(
    'isn’t posted by a process that lost the lease',
    async (existing) => {
      await using posting = await startPosting([])
      const { calls, deps, message, leased } = posting
      const takenOver = { ...leased, owner: 'another' }
      await expect(postOrEdit(deps, takenOver, { ...message, existing })).rejects.toThrow(LeaseLost)
      expect(calls).toEqual([])
    },
  )
})
