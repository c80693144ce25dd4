import { type Answer, readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { formatDate } from '../../../../packages/slack/src/blocks/rich-text.ts'
import { startWorld, WORKSPACE, type World } from '../../../world.ts'

const OPERATIONS = { channel: 'operations' }
const CHECKS = [{ name: 'web-1' }, { name: 'web-test' }, { name: 'Bank open API' }]

const readWatches = async ({ app }: World) =>
  (await app.store.watching.watches.list(WORKSPACE)).map(
    ({ channelId, filter, afterBadPolls, notify, reminderHours }) => ({
      channelId,
      rules: [
        ...filter.include.map(({ pattern }) => pattern),
        ...filter.exclude.map(({ pattern }) => `-${pattern}`),
      ],
      settings: [afterBadPolls, notify, reminderHours],
    }),
  )

const readAuditLines = async ({ app }: World) =>
  (await app.store.audit.search({ workspaceId: WORKSPACE, limit: 100 })).map(
    ({ verb, outcome }) => `${outcome} ${verb}`,
  )

describe('/hc watch', () => {
  it('creates a watch from its arguments, describes it unless it already exists, and offers to send a test', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const line = 'watch web-* --not web-test* --after 2 --remind 4'
    const first = await member.command('/hc', line, OPERATIONS)
    for (const words of ['now watches', 'web-*; not web-test*', 'after 2 bad polls', 'reminder every 4 h'])
      expect(first.text).toContain(words)
    expect((await member.command('/hc', line, OPERATIONS)).text).toContain('already watches')
    expect(await readWatches(world)).toEqual([
      { channelId: 'C0OPERATNS', rules: ['web-*', '-web-test*'], settings: [2, 'once', 4] },
    ])
    expect(await readAuditLines(world)).toEqual(['done /hc watch'])
    // Everyone in the channel sees the test.
    await member.click(first.message, 'Send a test')
    const posted = (await member.messages('operations')).filter(({ ephemeral }) => !ephemeral)
    expect(posted.map(({ text }) => text).join()).toContain('Test: this is how an outage looks here')
  })

  it('resumes a paused channel, even if the watch already exists', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const { watches } = world.app.store.watching
    const countPaused = async () => (await watches.list(WORKSPACE)).filter((watch) => watch.paused).length
    await member.command('/hc', 'watch web-*', OPERATIONS)
    const [watch] = await watches.list(WORKSPACE)
    const replaced = `watch mail* --replace ${watch?.id}`
    for (const [line, answer] of [
      ['watch web-*', 'This channel watches web-* again.'],
      ['watch api-*', 'This channel now watches api-*.'],
      [replaced, 'Saved.'],
    ] as const) {
      // Only a `shared-outside` pause lasts until someone resumes it. Delivery ends the others when it finds nothing to send.
      await watches.pause(WORKSPACE, 'C0OPERATNS', 'shared-outside', new Date())
      expect(await countPaused(), line).toBeGreaterThan(0)
      // `until` skips the message that tells the owner about the pause.
      await member.command('/hc', line, { ...OPERATIONS, until: answer })
      expect(await countPaused(), line).toBe(0)
    }
  })

  it('finds a check by its name, and offers a choice if several match', async () => {
    await using world = await startWorld({ checks: [...CHECKS, { name: 'Bank open API', customer_id: 2 }] })
    const { member } = world.slack
    expect((await member.command('/hc', 'watch web-1', OPERATIONS)).text).toContain('now watches web-1.')
    const question = await member.command('/hc', 'watch Bank open API --after 3', OPERATIONS)
    expect(question.text).toContain('2 health checks match')
    const [label = ''] = listButtonLabels(question).filter((button) => button.startsWith('Bank open API'))
    expect((await member.click(question.message, label)).text).toContain('Bank open API')
    expect((await readWatches(world)).map(({ settings }) => settings[0])).toEqual([1, 3])
    expect((await member.command('/hc', 'watch nothing such', OPERATIONS)).text).toContain(
      'No health check is named',
    )
  })

  it('lists checks that are already down, which aren’t posted until they’re up again', async () => {
    const down = Array.from({ length: 12 }, (_, index) => ({
      name: `web-${String(index).padStart(2, '0')}`,
      status: 'UNHEALTHY' as const,
    }))
    await using world = await startWorld({ checks: [...down, { name: 'mail', status: 'HEALTHY' }] })
    const { member } = world.slack
    const { text } = await member.command('/hc', 'watch web-*', OPERATIONS)
    expect(text).toContain(
      'Already down, so not posted now: web-00, web-01, web-02, web-03, web-04, web-05, web-06, web-07, web-08, web-09, and 2 more. I’ll post when they’re up again.',
    )
    expect((await member.command('/hc', 'watch web-03', OPERATIONS)).text).toContain(
      'Already down, so not posted now: web-03. I’ll post when it’s up again.',
    )
    expect((await member.command('/hc', 'watch mail', OPERATIONS)).text).not.toContain('Already down')
  })

  it('warns if no health check matches the filter, which it can’t say if the service fails', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const runWatch = (line: string) => member.command('/hc', `watch ${line}`, OPERATIONS)
    for (const line of ['zzz-none*', 'web-* --not web-*', 'web-* --protocol TCP', '--customer 999999']) {
      const { text } = await runWatch(line)
      expect(text, line).toContain('now watches')
      expect(text, line).toContain(NO_MATCH_WARNING)
    }
    // The watch already exists.
    expect((await runWatch('zzz-none*')).text).toContain(NO_MATCH_WARNING)
    for (const line of ['WEB-*', '--not web-*', 'zzz-none* --name "*open*"', 'web-1', ''])
      expect((await runWatch(line)).text, line).not.toContain(NO_MATCH_WARNING)
    await world.service.faults({
      path: '/healthcheck/v1/healthchecks',
      kind: 'status',
      status: 500,
      times: 100,
    })
    const { text } = await runWatch('zzz-other*')
    expect(text).toContain('now watches')
    expect(text).not.toContain(NO_MATCH_WARNING)
  })

  it('is refused in channels without the app, asks for consent in shared channels, and works in direct messages', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const outside = await member.command('/hc', 'watch all', { channel: 'random' })
    expect(outside.text).toContain('Signalman isn’t in this channel')
    expect(countNothingChanged(outside)).toBe(1)
    const question = await member.command('/hc', 'watch web-*', { channel: 'partner' })
    expect(question.text).toContain('everyone in it would see what is down')
    expect(await readWatches(world)).toEqual([])
    expect((await member.click(question.message, 'Post anyway')).text).toContain('now watches')
    expect((await member.command('/hc', 'watch web-*', { channel: 'dm' })).text).toContain('You now watch')
  })

  it('is refused for guests, as mutes and handing over are', async () => {
    await using world = await startWorld({ checks: CHECKS, guests: 'can-view' })
    const guest = world.slack.user('U0GUEST001')
    expect((await guest.command('/hc', 'watch all')).text).toContain('Guests can view')
    expect((await guest.command('/hc', 'mute all 1h')).text).toContain('Guests can view')
    const handOver = `watch-hand-over ${'A'.repeat(22)} --seen 1`
    expect((await guest.command('/hc', handOver)).text).toContain('Guests can view')
  })
})

describe('/hc watches', () => {
  it('shows the number of matches from the last full listing, and hides it once the channel has been paused', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const { watches, history } = world.app.store.watching
    const runWatches = async () => (await member.command('/hc', 'watches', OPERATIONS)).text
    await member.command('/hc', 'watch web-*', OPERATIONS)
    await expect.poll(runWatches, { timeout: 20_000 }).toContain(' · 2 health checks as of ')
    const fullAt = (await history.findPollStatus(WORKSPACE, 'production'))?.fullAt
    const { message: list } = await member.command('/hc', 'watches', OPERATIONS)
    expect(list?.text).toContain(`2 health checks as of ${fullAt && formatDate(fullAt)}`)
    await watches.pause(WORKSPACE, 'C0OPERATNS', 'archived', new Date())
    expect(await runWatches()).not.toContain('health checks as of')
    await watches.resume(WORKSPACE, 'C0OPERATNS')
    expect(await runWatches()).not.toContain('health checks as of')
  })
})

describe('/hc unwatch', () => {
  it('ends a watch, which can be restored unchanged', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    await member.command('/hc', 'watch web-* --notify every', OPERATIONS)
    const before = await readWatches(world)
    const ended = await member.command('/hc', 'unwatch', OPERATIONS)
    expect(ended.text).toContain('Ended 1 watch of this channel: web-*')
    expect(await readWatches(world)).toEqual([])
    await member.click(ended.message, 'Watch again')
    expect(await readWatches(world)).toEqual(before)
    expect(await readAuditLines(world)).toEqual(['done /hc watch', 'done /hc unwatch', 'done /hc watch'])
  })

  it('asks which of several watches to end, and changes nothing if none matches', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    for (const line of ['watch web-*', 'watch all']) await member.command('/hc', line, OPERATIONS)
    expect((await member.command('/hc', 'unwatch', OPERATIONS)).text).toContain(
      'Which watch do you want to end?',
    )
    const unknown = await member.command('/hc', 'unwatch nothing', OPERATIONS)
    expect(unknown.text).toContain('No watch in this channel in production is about')
    expect(countNothingChanged(unknown)).toBe(1)
    await member.command('/hc', 'unwatch all', OPERATIONS)
    const none = await member.command('/hc', 'unwatch', OPERATIONS)
    expect(none.text).toContain('Nothing is watched in this channel')
    expect(countNothingChanged(none)).toBe(1)
    expect(await readAuditLines(world)).toEqual([
      'done /hc unwatch',
      'done /hc unwatch',
      'done /hc watch',
      'done /hc watch',
    ])
  })

  it('adds one watch if two people type the same at once', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const people = [world.slack.member, world.slack.admin]
    const answers = await Promise.all(
      people.map((person) => person.command('/hc', 'watch web-*', { ...OPERATIONS, until: 'watches web-*' })),
    )
    expect(await readWatches(world)).toHaveLength(1)
    expect(answers.filter(({ text }) => text.includes('already watches web-*'))).toHaveLength(1)
  })

  it('ends exactly what an older answer listed, or nothing', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member, admin } = world.slack
    for (const line of ['watch web-*', 'watch all']) await member.command('/hc', line, OPERATIONS)
    const asked = await member.command('/hc', 'unwatch', OPERATIONS)
    const list = await member.command('/hc', 'watches', OPERATIONS)
    await admin.command('/hc', 'watch mail*', OPERATIONS)
    const changed = await member.click(asked.message, 'All 2', { until: 'Which watch' })
    expect(changed.text).toContain(
      'Other watches are in this channel in production now than when you were asked, so none was ended.',
    )
    expect(await readWatches(world)).toHaveLength(3)
    await member.click(changed.message, 'All 3', { until: 'Ended 3 watches of this channel.' })
    expect(await readWatches(world)).toEqual([])
    for (const press of [
      member.click(asked.message, 'web-*', { until: 'This watch has already ended.' }),
      member.choose(list.message, 'End…', 'End the watch of web-*', {
        until: 'This watch has already ended.',
      }),
    ]) {
      const ended = await press
      expect(ended.text).not.toContain('is about')
      expect(countNothingChanged(ended)).toBe(1)
    }
    expect((await readAuditLines(world)).filter((line) => line.includes('unwatch'))).toHaveLength(3)
  })

  it('says after the last watch ends that the daily summary stays on, and offers to end it', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const listDigests = () => world.app.store.watching.digests.list(WORKSPACE)
    await member.command('/hc', 'watch web-* --digest 7 --zone UTC', OPERATIONS)
    const ended = await member.command('/hc', 'unwatch all', OPERATIONS)
    expect(ended.text).toContain('The daily summary stays on: at 7:00, UTC, after days with posted outages.')
    expect(await listDigests()).toHaveLength(1)
    await member.click(ended.message, 'End the daily summary', {
      until: 'The daily summary of this channel has ended.',
    })
    expect(await listDigests()).toEqual([])
    expect((await member.command('/hc', 'unwatch --digest', OPERATIONS)).text).toContain(
      'has no daily summary',
    )
  })
})

describe('the watch modal', () => {
  it('opens if the command has no filter, but not for `all`', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const opened = await member.command('/hc', 'watch', OPERATIONS)
    expect(opened.text).toContain('You’ll see a preview before anything is saved')
    expect(await readWatches(world)).toEqual([])
    const preview = await member.submit(
      {},
      { until: ({ view }) => readText(view).includes('Nothing is saved yet') },
    )
    await member.click(preview.view, 'Save', {
      until: 'now watches every health check.',
    })
    await member.close({ all: true })
    expect((await member.command('/hc', 'watch all', OPERATIONS)).text).toContain('already watches')
    const oteForm = await member.command('/hc', 'watch --env ote', OPERATIONS)
    expect(oteForm.text).toContain('OTE test environment')
    await member.close({ all: true })
    expect(await readWatches(world)).toMatchObject([{ rules: [] }])
  })

  it('shows a preview before saving, allows going back, and edits a watch in place', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const list = await member.command('/hc', 'watches', OPERATIONS)
    expect(list.text).toContain('Nothing is watched in this channel')
    const { view } = await member.click(list.message, 'New watch')
    expect(readText(view)).not.toContain('Leave out')
    await member.fill({ Names: 'web-*\nmail' })
    const fullForm = await member.choose(view, 'More', 'yes', {
      until: (seen) => readText(seen.view).includes('Leave out'),
    })
    expect(readText(fullForm.view)).not.toContain('Choose by target')
    const typed = {
      'Leave out': 'web-test*\ntarget=*.example.org',
      'Time zone of the summary': 'Europe/Paris',
    }
    const preview = await member.submit(
      { ...typed, 'Daily summary of the channel': '9' },
      { until: ({ view }) => readText(view).includes('Nothing is saved yet') },
    )
    expect(preview.text).toContain('Matches 1 health check now')
    expect(await readWatches(world)).toEqual([])
    // Going back keeps everything that was typed, and the additional inputs, because the filter uses one of them.
    const changing = await member.click(preview.view, 'Change', {
      until: ({ view }) => Boolean(view?.view.submit),
    })
    expect(readText(changing.view)).toContain('Leave out')
    const again = await member.submit(
      {},
      { until: ({ view }) => readText(view).includes('Nothing is saved yet') },
    )
    expect(again.text).toEqual(preview.text)
    await member.click(again.view, 'Save', { until: 'now watches' })
    expect(await readWatches(world)).toMatchObject([
      { channelId: 'C0OPERATNS', rules: ['web-*', 'mail', '-web-test*', '-*.example.org'] },
    ])
    expect(await world.app.store.watching.digests.list(WORKSPACE)).toMatchObject([
      { hour: 9, timeZone: 'Europe/Paris' },
    ])
    await member.close({ all: true })

    const listed = await member.command('/hc', 'watches', OPERATIONS)
    expect(listed.text).toContain('Daily summary at 9:00, Europe/Paris')
    await member.choose(listed.message, 'Change…', 'Change web-*, mail; not web-test*, target *.example.org')
    const changed = await member.submit(
      { Names: 'api-*', 'Leave out': '' },
      { until: ({ view }) => readText(view).includes('Nothing is saved yet') },
    )
    await member.click(changed.view, 'Save', { until: 'Saved.' })
    expect(await readWatches(world)).toMatchObject([{ rules: ['api-*'] }])
    await member.close({ all: true })
  })

  it('saves an edited watch in the watch’s own channel, even if the modal was opened in another channel', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    await member.command('/hc', 'watch web-1', OPERATIONS)
    const allWatches = await member.command('/hc', 'watches --all')
    await member.choose(allWatches.message, 'Change…', 'Change web-1')
    const preview = await member.submit(
      { 'Remind about what is still down': '24', 'Daily summary of the channel': '8' },
      { until: ({ view }) => readText(view).includes('Nothing is saved yet') },
    )
    await member.click(preview.view, 'Save', { until: 'Saved.' })
    expect(await readWatches(world)).toMatchObject([{ channelId: 'C0OPERATNS', settings: [1, 'once', 24] }])
    const digests = await world.app.store.watching.digests.list(WORKSPACE)
    expect(digests.map(({ channelId }) => channelId)).toEqual(['C0OPERATNS'])
    // The list shows the check's name, although the saved filter contains only its UUID.
    expect((await member.command('/hc', 'watches --all')).text).toContain('Change web-1')
    await member.close({ all: true })
  })

  it('keeps the watch’s environment when the watch is edited, ended, or restored', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    await member.command('/hc', 'watch web-* --digest 7 --zone UTC', OPERATIONS)
    await member.command('/hc', 'watch mail-* --digest 8 --zone UTC --env ote', OPERATIONS)
    const listDigests = async () =>
      (await world.app.store.watching.digests.list(WORKSPACE)).map(({ environment, hour }) => [
        environment,
        hour,
      ])
    const list = await member.command('/hc', 'watches --all')
    await member.choose(list.message, 'Change…', 'Change mail-* (OTE)')
    const preview = await member.submit(
      { 'Daily summary of the channel': 'off' },
      { until: ({ view }) => readText(view).includes('Nothing is saved yet') },
    )
    expect(preview.text).toContain('mail-* (OTE)')
    await member.click(preview.view, 'Save', { until: 'Saved.' })
    await member.close({ all: true })
    expect(await listDigests()).toEqual([['production', 7]])
    const id = (await world.app.store.watching.watches.list(WORKSPACE, { environment: 'ote' }))[0]?.id
    const ended = await member.command('/hc', `unwatch ${id}`)
    // Names the watch's channel, which isn't the current one.
    expect(ended.message?.text).toContain('Ended 1 watch of <#C0OPERATNS>: mail-* (OTE).')
    const again = await member.click(ended.message, 'Watch again')
    expect(again.message?.text).toContain('<#C0OPERATNS> now watches')
    expect(await world.app.store.watching.watches.list(WORKSPACE, { environment: 'ote' })).toMatchObject([
      { channelId: 'C0OPERATNS' },
    ])
  })

  it('doesn’t overwrite changes that someone saved while it was open', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member, admin } = world.slack
    const watches = () => readWatches(world)
    const listDigests = () => world.app.store.watching.digests.list(WORKSPACE)
    await member.command('/hc', 'watch web-1', OPERATIONS)
    const openForm = async () =>
      member.choose((await member.command('/hc', 'watches', OPERATIONS)).message, 'Change…', 'Change web-1')
    const submitForPreview = (answers: Record<string, string> = {}) =>
      member.submit(answers, { until: ({ view }) => readText(view).includes('Nothing is saved yet') })

    // Someone else saves while the modal or its preview is open.
    const id = (await world.app.store.watching.watches.list(WORKSPACE))[0]?.id
    await openForm()
    await admin.command('/hc', `watch web-1 --after 3 --replace ${id}`, OPERATIONS)
    const refused = await member.submit({}, { until: 'Another change was saved after' })
    expect(refused.text).toContain('This watch: web-1 · after 3 bad polls.')
    expect(refused.text).toContain('Open current version')
    await member.close({ all: true })
    await openForm()
    const stalePreview = await submitForPreview({ 'Remind about what is still down': '24' })
    await admin.command('/hc', 'watch api-* --digest 7 --zone UTC', OPERATIONS)
    const unsaved = await member.click(stalePreview.view, 'Save', {
      until: 'Another change was saved after',
    })
    expect(unsaved.text).toContain('Daily summary: at 7:00, UTC.')
    expect(await watches()).toMatchObject([{ settings: [3, 'once', 0] }, { settings: [1, 'once', 0] }])
    await member.close({ all: true })

    // The modal for a new watch also edits the channel's daily summary, so someone else's change to that is a conflict.
    await member.command('/hc', 'watch-edit', OPERATIONS)
    await admin.command('/hc', 'watch api-* --digest 9 --zone UTC', OPERATIONS)
    await member.submit({}, { until: 'Another change was saved after' })
    expect(await listDigests()).toMatchObject([{ hour: 9 }])
    await member.close({ all: true })

    // Saving the current version works.
    await openForm()
    await member.click((await submitForPreview({ 'Remind about what is still down': '24' })).view, 'Save', {
      until: 'Saved.',
    })
    expect((await watches())[0]).toMatchObject({ settings: [3, 'once', 24] })
    await member.close({ all: true })
  })

  it('finds health checks by part of their name, and keeps earlier selections', async () => {
    await using world = await startWorld({ checks: [...CHECKS, { name: 'web-1', customer_id: 2 }] })
    const { member } = world.slack
    await member.command('/hc', 'watch "Bank open API"', OPERATIONS)
    const { message } = await member.command('/hc', 'watches', OPERATIONS)
    const { view } = await member.choose(message, 'Change…', 'Change Bank open API')
    const listOptions = async (typed: string) => {
      const answer = await member.options(view, 'Health checks', typed)
      return answer.ok ? answer.options : []
    }
    const search = async (typed: string) =>
      (await listOptions(typed)).map(({ text }) => String(Reflect.get(Object(text), 'text')))
    expect(await search('')).toHaveLength(4)
    expect(await search('WEB-t')).toEqual(['web-test'])
    // Names that begin with the typed text come before those that contain it. Checks with the same name and target show their UUID.
    const [first, ...others] = await search('b')
    expect(first).toBe('Bank open API')
    expect(others.sort()).toEqual([DUPLICATE_NAME, DUPLICATE_NAME, 'web-test'])
    expect(await search('OPEN')).toEqual(['Bank open API'])
    expect(await search('no such check')).toEqual([])
    const [watch] = await world.app.store.watching.watches.list(WORKSPACE)
    const before = watch?.filter.include.map(({ pattern }) => pattern) ?? []
    const chosen = [...before, ...(await listOptions('web-test')).map(({ value }) => String(value))]
    const preview = await member.submit(
      { 'Health checks': chosen, Names: 'mail-*' },
      { until: ({ view }) => readText(view).includes('Nothing is saved yet') },
    )
    expect(preview.text).toContain('Matches 2 health checks now')
    await member.click(preview.view, 'Save', { until: 'Saved.' })
    const [saved] = await world.app.store.watching.watches.list(WORKSPACE)
    expect(saved?.filter.include.map(({ label, pattern }) => label ?? pattern).sort()).toEqual([
      'Bank open API',
      'mail-*',
      'web-test',
    ])
    await member.close({ all: true })
  })

  it('shows errors next to the invalid inputs, and no health checks to choose from if the service fails', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const { view } = await member.command('/hc', 'watch-edit --customer 17', OPERATIONS)
    await world.service.faults({ path: '/healthcheck/v1/healthchecks', kind: 'status', status: 503 })
    expect(await member.options(view, 'Health checks', '')).toMatchObject({ ok: true, options: [] })
    await world.service.faults()
    const { text } = await member.submit(
      {
        'Only these customers': 'x',
        'Daily summary of the channel': '9',
        'Time zone of the summary': 'Mars/Base',
      },
      { until: ({ view }) => readText(view).includes('isn’t a time zone') },
    )
    expect(text).toContain('isn’t a customer ID. Type a whole number')
    await member.close({ all: true })
  })
})

const DUPLICATE_NAME = expect.stringMatching(/^web-1 \([0-9a-f-]{36}\)$/)
const NO_MATCH_WARNING = 'No health check matches this now'

/** Counts how many times an answer says that nothing was changed. */
const countNothingChanged = ({ text }: Answer): number => text.split('Nothing was changed').length - 1

/** Labels of the buttons of an answer. */
function listButtonLabels({ message }: Answer): string[] {
  const blocks = JSON.stringify(message?.blocks ?? [])
  return [...blocks.matchAll(/"type":"button".*?"text":\{[^}]*"text":"([^"]*)"/g)].map(
    ([, label = '']) => label,
  )
}
