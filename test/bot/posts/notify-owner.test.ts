import { describe, expect, it } from 'vitest'
import { message, section } from '../../../packages/slack/src/index.ts'
import type { NotificationPlace } from '../../../src/bot/access/reachable.ts'
import { notifyOwner } from '../../../src/bot/posts/notify-owner.ts'
import { PLACE, slackError, startPosting } from './posting.ts'

const TEXT = 'Your watch in #ops is paused.'
const CONTENT = message(TEXT, section(TEXT))
const HOUR_MS = 3_600_000

/** Notifies the owner UOWNER. Slack gives these answers. */
async function notify({
  answers = [],
  unreachable = [],
  admins = ['UADMIN1', 'UADMIN2'],
  ...options
}: {
  answers?: readonly (Error | undefined)[]
  unreachable?: readonly string[]
  admins?: readonly string[]
  ownerId?: string | undefined
}) {
  await using posting = await startPosting(answers)
  const { deps, leased, calls } = posting
  const places: NotificationPlace[] = []
  let recorded = 0
  const texts: string[] = []
  const { post } = deps.poster
  const reachability = {
    async explainPerson(place: NotificationPlace, id: string) {
      places.push(place)
      return unreachable.includes(id) ? 'is deactivated' : undefined
    },
    async *listReachable() {
      yield admins.filter((id) => !unreachable.includes(id))
    },
  }
  const poster = {
    ...deps.poster,
    post: (...[destination, content, options]: Parameters<typeof post>) => {
      texts.push(content.text)
      return post(destination, content, options)
    },
  }
  const end = await notifyOwner({ ...deps, poster, reachability }, leased, {
    ...{
      key: 'paused',
      target: PLACE,
      version: 1,
      content: CONTENT,
    },
    ownerId: 'ownerId' in options ? options.ownerId : 'UOWNER',
    async record() {
      recorded += 1
    },
  })
  return { end, recorded, texts, sentTo: calls.filter((call) => call.startsWith('direct')), places }
}

describe('a message that the owner has to get', () => {
  it('is sent to the owner once', async () => {
    const { end, recorded, texts, sentTo, places } = await notify({})
    expect(sentTo).toEqual(['direct UOWNER'])
    expect(texts).toEqual(['Your watch in #ops is paused.'])
    expect(end).toMatchObject({ state: 'done' })
    expect(recorded).toBe(1)
    // The channel doesn't matter for a DM.
    expect(places).toEqual([{ workspaceId: 'T1', enterpriseId: undefined }])
  })

  it('is sent to an admin if the owner has left, although Slack would accept it for the owner', async () => {
    const { recorded, texts, sentTo } = await notify({ unreachable: ['UOWNER', 'UADMIN1'] })
    expect(sentTo).toEqual(['direct UADMIN2'])
    expect(texts).toEqual([
      'Your watch in #ops is paused. <@UOWNER>, who owns this, is deactivated, so an admin gets this message.',
    ])
    expect(recorded).toBe(1)
  })

  it('is sent to an admin if nobody owns it anymore', async () => {
    const { texts, sentTo } = await notify({ ownerId: undefined })
    expect(sentTo).toEqual(['direct UADMIN1'])
    expect(texts[0]).toContain('Nobody owns this anymore, so an admin gets this message.')
  })

  it('is sent to the next person if Slack refuses it', async () => {
    const answers = [slackError('messages_tab_disabled'), slackError('user_disabled')]
    const { recorded, texts, sentTo } = await notify({ answers })
    expect(sentTo).toEqual(['direct UOWNER', 'direct UADMIN1', 'direct UADMIN2'])
    expect(texts[2]).toContain('can’t get direct messages from Signalman')
    expect(recorded).toBe(1)
  })

  it('is sent to nobody twice, and only as text if Slack refuses its content', async () => {
    const refusal = slackError('invalid_blocks')
    const answers = [refusal, slackError('no_text'), refusal]
    const { recorded, texts, sentTo } = await notify({ answers, admins: ['UOWNER', 'UADMIN1'] })
    expect(sentTo).toEqual(['direct UOWNER', 'direct UOWNER', 'direct UADMIN1', 'direct UADMIN1'])
    expect(texts[1]).toBe(TEXT)
    expect(texts[3]).toContain(`${TEXT} <@UOWNER>`)
    expect(recorded).toBe(1)
  })

  it('isn’t counted as sent if nobody gets it, and is tried again', async () => {
    const { end, recorded, sentTo } = await notify({ unreachable: ['UOWNER'], admins: [] })
    expect(sentTo).toEqual([])
    expect(recorded).toBe(0)
    expect(end).toMatchObject({ state: 'waiting', dueInMs: HOUR_MS })
  })

  it('waits for Slack instead of asking an admin', async () => {
    const { end, recorded, sentTo } = await notify({ answers: [slackError('internal_error')] })
    expect(sentTo).toEqual(['direct UOWNER'])
    expect(recorded).toBe(0)
    expect(end).toMatchObject({ state: 'waiting' })
  })
})
