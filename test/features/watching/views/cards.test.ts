import { describe, expect, it } from 'vitest'
import { cardView } from '../../../../src/features/watching/views/cards.ts'
import { checkNotes } from '../../../../src/features/watching/views/check-notes.ts'
import { digestView } from '../../../../src/features/watching/views/digest.ts'
import { listWorstChecks } from '../../../../src/features/watching/views/history.ts'
import { refusedCardView } from '../../../../src/features/watching/views/refused.ts'
import { pausedView } from '../../../../src/features/watching/views/watches.ts'
import { showTimes } from '../model/card-texts.ts'
import {
  atTime,
  CARDS,
  createCard,
  createCardModel,
  createListedIncident,
  createOutage,
  DIGEST,
  HOSTILE,
  ON_IT,
  UNSEEN,
} from '../models.ts'

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
      texts: ['🔴 web is down · since <!date', '\nHTTPS shop.example.com\nNobody is on it.'],
      buttons: ['I’m on it', 'Mute…', 'Diagnose', 'History', 'Show', 'Timeline'],
    },
    {
      name: 'acknowledged and muted',
      texts: [
        'web is down',
        /Ann &lt;.* is on it since <!date/,
        /Muted: we\* in production, in this channel, until <!date.*2026-11-20 12:00 UTC>/,
      ],
      buttons: ['Diagnose', 'Unmute', 'Take over', 'History', 'Show', 'Timeline', 'Step down', 'Hand over'],
    },
    {
      name: 'down again',
      texts: ['🔴 Still down: web is down again · since <!date', 'Went down 4 times since'],
      buttons: ['I’m on it', 'Mute…', 'Diagnose', 'History', 'Show', 'Timeline'],
    },
    {
      name: 'up',
      texts: [/🟢 web is up again · since <!date.*>, was down /, 'Closes if it stays up for 10 minutes.'],
      buttons: ['I’m on it', 'Mute…', 'History', 'Show', 'Timeline'],
    },
    {
      name: 'over',
      texts: ['🟢 web is up again · was down 1 h 5 min', 'From <!date'],
      buttons: ['History', 'Show', 'Timeline'],
    },
    {
      name: 'deleted (OTE)',
      texts: ['⚪ web (OTE) was deleted'],
      buttons: ['History', 'Show', 'Timeline'],
    },
    {
      name: 'moved to a newer message',
      texts: [
        '⚪ Nothing is listed here anymore',
        /2 incidents moved to/,
        '1 incident is no longer watched here',
      ],
      buttons: ['History'],
    },
    {
      name: 'many down',
      texts: [
        /🔴 .*, .*, and 86 more are down \(88 of 120\) · as of/,
        'By host: shop.example.com (80), 8 more',
        'and 100 more. Timeline on this card has all of them.',
      ],
      buttons: ['I’m on it', 'Mute…', 'Show', 'History', 'Timeline'],
    },
    {
      name: 'many over',
      texts: ['🟢 5 health checks are all up again · as of'],
      buttons: ['Show', 'History', 'Timeline'],
    },
    {
      name: 'reminder',
      texts: [/🔴 Reminder: a is down \(1 of 2\) · as of <!date/, /🔴 a · since/, '🟢 Up · b'],
      buttons: ['I’m on it', 'Mute…', 'Show', 'History', 'Timeline'],
    },
    {
      name: 'page',
      texts: [
        '<!subteam^S0ONCALL> <@U0OWNER> 2 health checks are down. At least one of them has waited for someone since <!date',
        /This goes to you because Slack can’t notify @\W*bob/,
        /🔴 web · since/,
      ],
      buttons: ['I’m on it', 'Timeline'],
    },
    {
      name: 'period without polls',
      texts: [
        '⚫ I can’t see the health checks · since <!date',
        'An admin can replace it',
        'nobody is paged',
      ],
      buttons: ['Store a token', 'I’m on it', 'Summary'],
    },
    {
      name: 'a check and a period without polls',
      texts: [
        '⚫ I can’t see the health checks · since <!date',
        'The service doesn’t answer.\nWhen I last saw the checks on this card, 1 of 2 was down.',
        '⚫ Can’t be seen · Health checks in production · since <!date',
        /⚫ Was down · web · from/,
        /⚫ Was up · mail was down from/,
      ],
      buttons: ['I’m on it', 'Mute…', 'Show', 'History', 'Timeline'],
    },
    {
      name: 'down, and can’t be seen',
      texts: [
        '⚫ web was down when I last saw it · I haven’t seen it since <!date',
        'The service doesn’t answer.\nWent down <!date',
      ],
      buttons: ['I’m on it', 'Mute…', 'Diagnose', 'History', 'Show', 'Timeline'],
    },
    {
      name: 'up, and can’t be seen',
      texts: ['⚫ web was up when I last saw it · I haven’t seen it since <!date'],
      buttons: ['I’m on it', 'Mute…', 'History', 'Show', 'Timeline'],
    },
    {
      name: 'a page about what can’t be seen',
      texts: [
        '<@U0ANN> web was down when I last saw it. It has waited for someone since <!date',
        '⚫ Was down · web · from',
      ],
      buttons: ['I’m on it', 'Timeline'],
    },
    {
      name: 'a check after a period without polls',
      texts: [
        '🟢 1 health check is up again · as of',
        /🟢 Can be seen again · Health checks in production couldn’t be seen from .*, for 20 min/,
      ],
      buttons: ['I’m on it', 'Mute…', 'Show', 'History', 'Timeline'],
    },
    {
      name: 'end of a period without polls',
      texts: ['🟢 I can see the health checks again · after 20 min', 'The reason was: The service'],
      buttons: ['Summary'],
    },
  ])('shows the text and the buttons for $name', ({ name, texts, buttons }) => {
    const { text, blocks } = renderCard(name)
    for (const words of texts)
      expect(text).toEqual(expect.stringMatching(words instanceof RegExp ? words : RegExp.escape(words)))
    expect(readBlocks(blocks).labels).toEqual(buttons)
  })

  it('lists everyone who is on any of its incidents, and lets others take the rest', () => {
    const rows = [
      createListedIncident('a', { onIt: ON_IT }),
      createListedIncident('b', { onIt: { ...ON_IT, by: 'U0CID', name: 'Cid' } }),
      createListedIncident('c'),
    ]
    const { text, blocks } = cardView(createCardModel(rows))
    expect(text).toMatch(/On it: Ann &lt;.*, since <[^>]*>; Cid, since/)
    expect(readBlocks(blocks).labels[0]).toBe('I’m on it')
    const listed = text.split('\n').filter((line) => line.startsWith('🔴'))
    expect(listed.map((line) => /(?:Ann|Cid).* is on it$/.test(line))).toEqual([false, true, true, false])
  })

  it('doesn’t offer to take what somebody is on already, although it’s up again', () => {
    const row = createListedIncident('web', { upAt: ON_IT.at, onIt: ON_IT })
    const { blocks } = cardView(createCardModel([row]))
    expect(readBlocks(blocks).labels).not.toContain('I’m on it')
    const free = createListedIncident('web', { upAt: ON_IT.at })
    expect(readBlocks(cardView(createCardModel([free])).blocks).labels).toContain('I’m on it')
  })

  it('says how often a check was down, not that it was down all the time', () => {
    const upAt = new Date('2026-11-20T09:40:00Z')
    const rows = [createListedIncident('web', { upAt, falls: 3 }), createListedIncident('api', { upAt })]
    const { text } = cardView(createCardModel(rows))
    expect(text).toMatch(/web was down 3 times from <!date.*>, within 40 min/)
    expect(text).toMatch(/api was down from <!date.*>, for 40 min/)
  })

  it('says how long the checks couldn’t be seen the last time', () => {
    const fell = { at: new Date('2026-11-20T09:30:00Z'), clockMs: 0 }
    const upAt = new Date('2026-11-20T09:40:00Z')
    const blind = createListedIncident('', { check: { uuid: '', name: 'production' }, falls: 2, fell, upAt })
    expect(cardView(createCardModel([blind])).text).toContain('again · after 10 min')
  })

  it('shows who was on the incident after it is over', () => {
    const row = createListedIncident('web', { upAt: ON_IT.at, ending: 'recovered', onIt: ON_IT })
    expect(cardView(createCardModel([row])).text).toMatch(/ · Ann &lt;.* was on it/)
  })

  it('links to the newer message that lists what has moved', () => {
    const { blocks } = renderCard('moved to a newer message')
    expect(JSON.stringify(blocks)).toContain('https://slack.com/archives/C1/p1700000000000100')
  })

  it.each(Object.keys(CARDS).filter((name) => CARDS[name]?.kind !== 'page'))(
    'mentions nobody, and has no markup except dates: %s',
    (name) => {
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
    },
  )

  it('mentions only whom it pages', () => {
    expect(renderCard('page').text.match(/<(?!!date)[^>]*>/g)).toEqual(['<!subteam^S0ONCALL>', '<@U0OWNER>'])
  })

  it('names the first two in its title, and lists up to 20 with how many more there are', () => {
    const rows = Array.from({ length: 90 }, (_, index) => createListedIncident('x'.repeat(100) + index))
    const { text, blocks } = cardView(createCardModel(rows, { total: 120, downCount: 120 }))
    expect(text.split('\n', 1)[0]).toMatch(/^🔴 x+…, x+…, and 118 more are down · as of/)
    expect(text.split('\n').filter((line) => line.includes(' · since '))).toHaveLength(20)
    expect(readBlocks(blocks).text).toContain('and 100 more. Timeline on this card has all of them.')
  })

  it('says who is paged next, and about what if somebody is on the others', () => {
    const nextPage = { at: ON_IT.at, names: '@on-call' }
    const alone = cardView(createCardModel([createListedIncident('a')], { nextPage }))
    expect(alone.text).toMatch(/\nNobody is on it\. Pages @\W*on-call <!date[^>]*>\./)
    const rows = [createListedIncident('a', { onIt: ON_IT }), createListedIncident('b')]
    expect(cardView(createCardModel(rows, { nextPage })).text).toMatch(
      /Ann.* is on it since .*\nNobody is on the others\. Pages @/,
    )
  })
})

describe('a message that Slack refuses', () => {
  const down = [createListedIncident(HOSTILE), createListedIncident('mail', { onIt: ON_IT })]
  const page = {
    originId: 'C1',
    mentions: [
      { id: 'S0ONCALL', name: `@on-call ${HOSTILE}`, isGroup: true },
      { id: 'U0OWNER', name: 'U0OWNER', insteadOf: HOSTILE },
    ],
    steps: ['S0ONCALL', 'U0BOB'],
    counted: ['S0ONCALL', 'U0BOB'],
    incidentIds: [],
    since: atTime('09:05').toISOString(),
  }
  it.each([
    {
      label: 'a card',
      card: createCard(),
      incidents: down,
      text: '2 health checks are down. Slack refused the card. To see what is down, use /hc.',
    },
    {
      label: 'a page',
      card: createCard({ kind: 'page', page, environment: 'ote' }),
      incidents: down,
      text: '<!subteam^S0ONCALL> <@U0OWNER> 2 health checks (OTE) are down. At least one of them has waited for someone since 09:05. Slack refused the rest of this page. To see what is down, use /hc.',
    },
    {
      label: 'a card without checks',
      card: createCard(),
      incidents: [createListedIncident('production', { check: { uuid: '', name: 'production' } })],
      unseen: UNSEEN,
      text: 'I can’t see the health checks. Slack refused the card. To see what is down, use /hc.',
    },
  ])(
    'says in Signalman’s own words what is down, and can be taken: $label',
    ({ card, incidents, unseen, text }) => {
      const refused = refusedCardView({ card, version: 7, incidents, movedTo: [], unseen }, 7)
      expect(showTimes(refused.text)).toBe(text)
      expect(readBlocks(refused.blocks).text).toContain(`"value":"/hc watch-ack ${card.id} --seen 7"`)
      expect(readBlocks(refused.blocks).labels).toEqual(['I’m on it'])
    },
  )

  it('offers nothing to take when somebody is on everything, or nothing is down', () => {
    for (const incidents of [[createListedIncident('web', { onIt: ON_IT })], []]) {
      const { text, blocks } = refusedCardView({ card: createCard(), version: 7, incidents, movedTo: [] }, 7)
      expect(text).toMatch(
        /^(?:1 health check is down|Nothing listed here is down anymore)\. Slack refused the card\./,
      )
      expect(readBlocks(blocks).labels).toEqual([])
    }
  })
})

describe('other messages of a watch', () => {
  it('show a digest with the chart’s numbers in words, over the observed time', () => {
    const { text, blocks } = digestView(DIGEST)
    for (const words of [
      '3 outages of 2 health checks, 1 still down',
      'Observed: 23 h of 1 d (95.83 %)',
      'web: 2 outages, down 1 h, uptime 93.75 %',
      'mail: 1 outage, down 30 min',
      'Still down:',
    ])
      expect(text).toContain(words)
    const gaps = { from: atTime('10:00'), to: atTime('12:00'), count: 2, ms: 3_600_000 }
    expect(showTimes(digestView({ ...DIGEST, stillDown: [createOutage('mail', { gaps })] }).text)).toContain(
      'since 09:00, not observed 2 times between 10:00 and 12:00',
    )
    // Counts the checks down at the end of the period, whenever the digest is rendered.
    expect(digestView({ ...DIGEST, stillDown: [] }).text).toContain(', none still down · ')
    const unseen = digestView({ ...DIGEST, unseen: UNSEEN }).text
    expect(unseen).toContain(', 1 down when last seen · ')
    expect(unseen).toContain('Down when last seen:')
    expect(unseen).not.toContain('till down')
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
    const noNotes = {
      silences: [],
      runbooks: [],
      observedSince: undefined,
      latest: [],
      channelId: undefined,
      mayEnd: () => true,
    }
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
