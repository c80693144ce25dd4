import { describe, expect, it } from 'vitest'
import { formatDate } from '../../../../packages/slack/src/blocks/rich-text.ts'
import type { CardModel, MultiCheckModel } from '../../../../src/features/watching/rules/describe-card.ts'
import { cardView, detailsView } from '../../../../src/features/watching/views/cards.ts'
import { checkNotes } from '../../../../src/features/watching/views/check-notes.ts'
import { digestView } from '../../../../src/features/watching/views/digest.ts'
import { listWorstChecks } from '../../../../src/features/watching/views/history.ts'
import { pausedView } from '../../../../src/features/watching/views/watches.ts'
import { atTime, CARDS, createListedOutage, createOutage, DIGEST, HOSTILE, ON_IT } from '../models.ts'

/** The button labels of a message, and all text in its blocks. */
function readBlocks(blocks: readonly unknown[]): { labels: string[]; text: string } {
  const text = JSON.stringify(blocks)
  const labels = [...text.matchAll(/(?:"type":"button",|\{)"text":\{"type":"plain_text","text":"([^"]*)"/g)]
  return { labels: labels.map(([, label = '']) => label), text }
}

const renderCard = (name: string) => {
  const model = CARDS[name]
  if (!model) throw new Error(`There is no card ${name}.`)
  return cardView(model)
}

describe('a card', () => {
  it.each([
    {
      name: 'down',
      texts: ['🔴 web is down · since <!date', '\nHTTPS shop.example.com\n', 'Customer: 1100'],
      buttons: ['I’m on it', 'Mute', 'Diagnose', 'History', 'Show', 'Timeline'],
    },
    {
      name: 'acknowledged and muted',
      texts: [
        'web is down',
        'On it: Ann',
        /Muted: we\* in production, in this channel, until <!date.*2026-11-20 12:00 UTC>/,
        '2 outages on this card',
      ],
      buttons: ['Diagnose', 'Unmute', 'Take over', 'History', 'Show', 'Timeline', 'Step down', 'Hand over'],
    },
    {
      name: 'recovered',
      texts: [
        '🟢 web is up again · was down 1 h 5 min',
        'HTTPS shop.example.com · customer 1100 · from <!date',
      ],
      buttons: ['History', 'Show', 'Timeline'],
    },
    {
      name: 'deleted (OTE)',
      texts: ['⚪ web (OTE) was deleted while it was down'],
      buttons: ['History', 'Show', 'Timeline'],
    },
    {
      name: 'flapping',
      texts: ['🔴 web is down · flapping · since <!date', 'Flapping: 7 changes in the last hour'],
      buttons: ['I’m on it', 'Mute', 'Diagnose', 'History', 'Show', 'Timeline'],
    },
    {
      name: 'in a newer message',
      texts: ['⚪ web: see the newer message below'],
      buttons: ['History', 'Show', 'Timeline'],
    },
    {
      name: 'no longer watched',
      texts: ['⚪ web was down when watching here ended'],
      buttons: ['History', 'Show', 'Timeline'],
    },
    {
      name: 'storm',
      texts: [
        '🔴 Storm: 120 health checks went down, 88 still are',
        'By host: shop.example.com (100), 20 more',
        'and 100 more. Timeline on this card has all of them.',
      ],
      buttons: ['I’m on it', 'Mute', 'Show', 'History', 'Timeline'],
    },
    {
      name: 'storm over',
      texts: ['🟢 5 health checks are all up again · since'],
      buttons: ['Show', 'History', 'Timeline'],
    },
    {
      name: 'reminder',
      texts: [/🔴 Reminder: a is down \(1 of 2\) · as of <!date/, '🔴 Down · a', '🟢 Up again · b'],
      buttons: ['I’m on it', 'Mute', 'Show', 'History', 'Timeline'],
    },
    {
      name: 'period without polls',
      texts: ['⚫ I can’t see the health checks · since <!date', 'An admin can replace it'],
      buttons: ['Store a token', 'Summary'],
    },
    {
      name: 'end of a period without polls',
      texts: [
        '🟢 I can see the health checks again',
        'The reason was: The service',
        '2 health checks went down, 1 health check recovered',
      ],
      buttons: ['Summary'],
    },
  ])('shows the text and the buttons for $name', ({ name, texts, buttons }) => {
    const { text, blocks } = renderCard(name)
    for (const words of texts)
      expect(text).toEqual(expect.stringMatching(words instanceof RegExp ? words : RegExp.escape(words)))
    expect(readBlocks(blocks).labels).toEqual(buttons)
  })

  it('shows its last known state once the channel stops watching', () => {
    const model = CARDS['period without polls']
    expect(model && cardView({ ...model, unwatchedAt: atTime('10:00') }).text).toContain(
      '⚪ I couldn’t see the health checks when watching here ended',
    )
  })

  it('lists everyone who is on any of its outages', () => {
    const onIt = [ON_IT, { ...ON_IT, by: 'U0CID', name: 'Cid' }]
    const { text, blocks } = cardView({ ...(CARDS.storm as MultiCheckModel), onIt })
    expect(text).toMatch(/On it: Ann &lt;.*, since <[^>]*>; Cid, since/)
    // The button stays, because one of the outages has nobody on it.
    expect(readBlocks(blocks).labels[0]).toBe('I’m on it')
  })

  it('shows who is on an outage in its row, unless a newer message lists the outage', () => {
    const rows = [
      createListedOutage('a', { onIt: ON_IT }),
      createListedOutage('b', { onIt: ON_IT, listed: 'moved' }),
    ]
    const { blocks } = cardView({ ...(CARDS.storm as MultiCheckModel), rows })
    const cells = blocks.flatMap((block) => (block.type === 'table' ? block.rows : []))
    const lastCells = cells.map((row) => row.at(-1)).map((cell) => JSON.stringify(cell))
    expect(lastCells.map((cell) => cell.includes(ON_IT.name))).toEqual([false, true, false])
  })

  it('shows who was on the outage after it ends', () => {
    const { recovered } = CARDS
    expect(cardView({ ...recovered, lastOnIt: ON_IT } as CardModel).text).toMatch(/ · Ann &lt;.* was on it/)
  })

  it('doesn’t say that deleted or installing checks are up', () => {
    const rows = [createListedOutage('a', { endedAt: atTime('10:00'), ending: 'deleted' })]
    const [over, reminder] = [CARDS['storm over'] as MultiCheckModel, CARDS.reminder as MultiCheckModel]
    const renderText = (model: MultiCheckModel) =>
      cardView({ ...model, downCount: 0, haveAllRecovered: false }).text
    expect(renderText(over)).toMatch(/^🟢 5 health checks aren’t down anymore · since/)
    expect(renderText({ ...reminder, checkCount: 1, rows })).toMatch(/^🟢 a isn’t down anymore · as of/)
  })

  it('points to the newer message that replaced it', () => {
    const model = { ...(CARDS.storm as MultiCheckModel), downCount: 0, movedCount: 88 }
    expect(cardView(model).text).toMatch(/^⚪ 120 health checks: see the newer message below/)
  })

  it.each(Object.keys(CARDS))('mentions nobody, and has no markup except dates: %s', (name) => {
    const { text, blocks, classic } = renderCard(name)
    expect(text).not.toMatch(/<(?!!date)/)
    expect(text).not.toContain('\u202e')
    // Slack parses markup only in mrkdwn, where the app uses it only for dates.
    for (const parts of [blocks, classic?.() ?? []]) {
      expect(readBlocks(parts).text).not.toMatch(/"type":"user"/)
      for (const [, parsed] of readBlocks(parts).text.matchAll(
        /"type":"mrkdwn","text":"((?:[^"\\\\]|\\\\.)*)"/g,
      ))
        expect(parsed).not.toMatch(/<(?!!date\^)/)
    }
  })

  it('says how many checks didn’t fit into the table, even if their names are long', () => {
    const model = CARDS.storm
    if (model?.kind !== 'multi-check') throw new Error('Expected a storm.')
    const rows = Array.from({ length: 90 }, (_, index) => createListedOutage('x'.repeat(200) + index))
    const { blocks } = cardView({ ...model, rows })
    const table = blocks.find((block) => block.type === 'table')
    const shownCount = table?.type === 'table' ? table.rows.length - 1 : 0
    expect(shownCount).toBeLessThan(90)
    expect(readBlocks(blocks).text).toContain(
      `${model.checkCount - shownCount} more health checks not shown here`,
    )
  })

  it('lists no checks if it is a reminder that was replaced', () => {
    const { reminder } = CARDS
    const replaced = { ...reminder, reason: 'replaced', rows: [], downCount: 0 } as CardModel
    const { text, blocks } = cardView(replaced)
    expect(text).toMatch(/^⚪ Reminder: see the newer one below · as of [^\n]*$/)
    expect(readBlocks(blocks).text).not.toContain('more')
  })

  it.each(['storm', 'storm over', 'reminder'])(
    'has the same buttons without a table, and lists up to 20 checks: %s',
    (name) => {
      const { blocks, classic } = renderCard(name)
      const classicBlocks = classic?.() ?? []
      expect(readBlocks(blocks).text).toContain('"type":"table"')
      expect(readBlocks(classicBlocks).text).not.toContain('"type":"table"')
      expect(readBlocks(classicBlocks).labels).toEqual(readBlocks(blocks).labels)
      const countTargets = (parts: readonly unknown[]) =>
        readBlocks(parts).text.split('HTTPS shop.example.com').length - 1
      expect(countTargets(blocks)).toBeGreaterThan(0)
      expect(countTargets(classicBlocks)).toBe(Math.min(20, countTargets(blocks)))
    },
  )
})

describe('other messages of a watch', () => {
  it('show events in a thread, in order', () => {
    const { text } = detailsView({
      cardId: 'x',
      environment: 'production',
      title: HOSTILE,
      omittedCount: 3,
      events: [
        { at: atTime('09:00'), kind: 'down', check: createOutage('web').check },
        { at: atTime('09:05'), kind: 'took', byName: ON_IT.name },
        { at: atTime('09:30'), kind: 'took', byName: 'Bea', from: ON_IT.name },
        { at: atTime('10:05'), kind: 'up', check: createOutage('web').check, downMs: 3_900_000 },
      ],
    })
    expect(text.split('\n').slice(1)).toEqual([
      '3 earlier changes not shown. Timeline on the card has all of them.',
      `${formatDate(atTime('09:00'))}  🔴 web went down`,
      expect.stringMatching(/ {2}👤 Ann &lt;.*&gt; is on it$/),
      expect.stringMatching(/ {2}👤 Bea took it over from Ann &lt;.*&gt;$/),
      `${formatDate(atTime('10:05'))}  🟢 web recovered after 1 h 5 min`,
    ])
    expect(text).not.toMatch(/<(?:!(?!date)|@)/)
  })

  it('don’t mention earlier changes if the thread shows all changes', () => {
    const at = atTime('09:00')
    const { text } = detailsView({
      cardId: 'x',
      environment: 'production',
      title: 'web is down',
      omittedCount: 0,
      events: [{ at, kind: 'down', check: createOutage('web').check }],
    })
    expect(text).toBe(`web is down\n${formatDate(at)}  🔴 web went down`)
  })

  it('show a digest with the chart’s numbers in words, over the observed time', () => {
    const { text, blocks } = digestView(DIGEST)
    for (const words of [
      '3 outages of 2 health checks, 1 still down',
      'Observed: 23 h of 1 d (95.83 %)',
      'web: 2 outages, down 1 h, uptime 93.75 %',
      'mail: 1 outage, down 30 min, uptime not known',
      'Still down:',
    ])
      expect(text).toContain(words)
    // Counts the checks down at the end of the period, whenever the digest is rendered.
    expect(digestView({ ...DIGEST, stillDown: [] }).text).toContain(', none still down · ')
    expect(readBlocks(blocks).text).toContain('web: 2 outages')
    expect(text).not.toMatch(/<(?:!(?!date)|@)/)
  })

  it('explain to the owner of paused watches how to fix the problem', () => {
    const { text, blocks } = pausedView({
      channelId: 'C1',
      reason: 'not-in-channel',
      watches: 2,
      pendingCards: 1,
    })
    expect(text).toBe(
      '2 watches of yours in <#C1> are paused: Signalman isn’t in the channel anymore. Invite it again with /invite.\nNothing is posted there until that is fixed. Signalman tries again every hour, and then posts what was missed.\nThe latest update of 1 card couldn’t be posted there.',
    )
    // Links to all watches, because a direct message has no watches of its own.
    expect(readBlocks(blocks).text).toContain('/hc watches --all')
  })
})

it('uses singular and plural correctly for the number left out', () => {
  const formatLast = (count: number) =>
    listWorstChecks({
      checks: Array.from({ length: 10 + count }, () => DIGEST.checks).flatMap((all) => all.slice(0, 1)),
    }).at(-1)
  expect([formatLast(1), formatLast(2)]).toEqual(['and 1 more that was down', 'and 2 more that were down'])
  const formatChannels = (count: number) => {
    const noNotes = { silences: [], runbooks: [], latest: [], channelId: undefined }
    const watchedChannels = Array.from({ length: 5 + count }, (_, index) => ({
      channelId: `C${index}`,
      paused: undefined,
    }))
    return JSON.stringify(
      checkNotes({ ...noNotes, check: createOutage('web').check, channels: watchedChannels }).entries,
    )
  }
  expect(formatChannels(1)).toContain('and 1 more channel"')
  expect(formatChannels(2)).toContain('and 2 more channels"')
})
