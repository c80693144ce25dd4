import { describe, expect, it } from 'vitest'
import { FULL_MANIFEST, readId, startWorld } from '../app.ts'

const start = () => startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off' })
const channel = { channel_id: 'C0GENERAL1' }
const link = { ...channel, title: 'Runbook', type: 'link', link: 'https://example.com/runbook' }

describe('bookmarks of a channel', () => {
  it('can be added, edited, listed, and removed, and are visible in the channel', async () => {
    await using world = await start()
    const { bookmark } = await world.api('bookmarks.add', { ...link, emoji: ':book:' })
    expect(bookmark).toMatchObject({ ...link, emoji: ':book:', last_updated_by_user_id: 'U0PLAYGBOT' })
    const id = readId(bookmark)
    const changed = { ...channel, bookmark_id: id, title: 'Book' }
    expect(await world.api('bookmarks.edit', changed)).toMatchObject({
      bookmark: { title: 'Book', link: link.link },
    })
    const { channels } = await world.slack.member.until('the bookmark', (now) =>
      now.channels.some(({ bookmarks }) => bookmarks?.[0]?.title === 'Book'),
    )
    expect(channels.filter(({ bookmarks }) => bookmarks?.length)).toHaveLength(1)
    expect(await world.api('bookmarks.list', channel)).toMatchObject({ bookmarks: [{ id, title: 'Book' }] })
    expect(await world.api('bookmarks.remove', { ...channel, bookmark_id: id })).toMatchObject({ ok: true })
    expect(await world.api('bookmarks.list', channel)).toMatchObject({ bookmarks: [] })
  })

  it.each([
    ['add', { ...link, channel_id: 'C0NOPE' }, 'channel_not_found'],
    ['add', { ...link, type: 'file' }, 'invalid_bookmark_type'],
    ['add', { ...link, link: 'ftp://example.com' }, 'invalid_link'],
    ['add', { ...link, emoji: 'Not One' }, 'invalid_emoji'],
    ['add', { ...channel, type: 'link', link: 'https://example.com' }, 'invalid_arguments'],
    ['edit', { ...channel, bookmark_id: 'Bk0', title: 'x' }, 'not_found'],
    ['remove', { ...channel, bookmark_id: 'Bk0' }, 'not_found'],
  ])('are rejected if invalid: %s with %j (%s)', async (verb, args, error) => {
    await using world = await start()
    expect(await world.api(`bookmarks.${verb}`, args)).toMatchObject({ error })
  })
})
