import { describe, expect, it } from 'vitest'
import { inTurns } from '../../../../packages/runtime/src/turns.ts'
import type { Outage } from '../../../../src/domain/outages/outage.ts'
import { readSpan } from '../../../../src/features/watching/report/read-report.ts'
import {
  concerning,
  type Reported,
  type ReportedCard,
  reportOf,
} from '../../../../src/features/watching/report/rules.ts'
import { reportFile, reportView } from '../../../../src/features/watching/report/views.ts'
import type { StillDownReason } from '../../../../src/features/watching/rules/card.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 12, minute))
const span = { from: at(0), to: at(60) }

const outage = (id: string, from: number, to: number | undefined, more: Partial<Outage> = {}): Outage => ({
  id,
  check: { uuid: id, name: `check-${id}` },
  status: 'UNHEALTHY',
  startedAt: at(from),
  ...(to !== undefined && { endedAt: at(to), ending: 'recovered' as const }),
  isBaseline: false,
  badPolls: 1,
  ...more,
})

const cardOf = (outages: readonly Outage[], more: Partial<ReportedCard> = {}): ReportedCard => ({
  card: {
    id: 'c'.repeat(22),
    environment: 'production',
    channelId: 'C1',
    kind: outages.length > 1 ? 'storm' : 'outage',
    openedAt: at(0),
    changedAt: at(0),
  },
  outages,
  postedAt: at(1),
  calls: [],
  ...more,
})

async function shown(reported: Partial<Reported>, card?: ReportedCard) {
  const { outages = [] } = reported
  const report = await inTurns(
    reportOf({
      span,
      uptimeSpan: span,
      cards: card ? [card] : [],
      own: card,
      outages,
      before: outages,
      observed: [span],
      planned: [],
      muted: [],
      concerns: concerning(outages),
      isCut: false,
      isOfWatched: false,
      ...reported,
    }),
  )
  const all = { report, card, environment: 'production', now: at(60), line: '/hc report' } as const
  return { report, text: reportView(all).text, file: await inTurns(reportFile(all)) }
}

describe('a report', () => {
  it('says when nobody could see, and counts nothing of that time', async () => {
    const fell = outage('a', 10, 40)
    const { text, file } = await shown({
      outages: [fell],
      observed: [
        { from: at(0), to: at(20) },
        { from: at(35), to: at(60) },
      ],
    })
    expect(text).toContain('1 outage of 1 health check, down 15 min')
    expect(text).toContain('Not seen: 15 min in 1 stretch: what happened then nobody saw')
    expect(file).toContain('2026-11-20T12:20:00.000Z to 2026-11-20T12:35:00.000Z')
    expect(file).toContain('check-a: 1 outage, down 15 min, uptime 66.66 %')
  })

  it('shows maintenance apart, with the outages of which nobody was told', async () => {
    const planned = [{ about: { kind: 'name', pattern: 'check-*' }, from: at(10), to: at(30) }] as const
    const { text } = await shown({ outages: [outage('a', 15, 40)], planned })
    expect(text).toContain('1 outage of 1 health check, down 10 min')
    expect(text).toContain('In maintenance: down 15 min more, not counted')
    expect(text).toMatch(
      /Planned: check-\*\W*, <!date.*2026-11-20 12:10 UTC> to <!date.*2026-11-20 12:30 UTC>/,
    )
    expect(text).toContain('Not told here: 1 of 1 outage')
  })

  it('adds up what it counts, and says so; what was down before is no outage that nobody was told of', async () => {
    const outages = [
      outage('a', -30, 20),
      outage('b', 0, 30, { isBaseline: true }),
      outage('c', 10, 20),
      outage('d', 15, 20),
    ]
    const planned = [{ about: { kind: 'check', uuid: 'd', name: 'd' }, from: at(10), to: at(30) }] as const
    const { text, file } = await shown({ outages, planned }, undefined)
    for (const words of [
      '1 outage of 1 health check, down 1 h, all checks together',
      'Not told here: 1 of 1 outage',
      '🔴 check-b was down already when watching began',
      'check-a: already down when this time began, down 20 min, uptime 66.66 %',
      'check-d: down 5 min in maintenance, not counted, uptime 100 %',
    ])
      expect(text).toContain(words)
    expect(text).not.toContain('check-b went down')
    // The answer says it.
    expect(text).not.toContain('Down in all')
    expect(file).toContain('check-d: down 5 min in maintenance, not counted, uptime 100 %')
  })

  it('leaves out maintenance of what it is not about', async () => {
    const other = { from: at(10), to: at(30) }
    const { report } = await shown({
      outages: [outage('a', 15, 40)],
      planned: [
        { about: { kind: 'name', pattern: 'shop-*' }, ...other },
        { about: { kind: 'check', uuid: 'b', name: 'check-b' }, ...other },
        { about: { kind: 'check', uuid: 'a', name: 'check-a' }, ...other },
        { about: { kind: 'all' }, ...other },
      ],
    })
    expect(report.planned.map(({ about }) => about.kind)).toEqual(['check', 'all'])
    expect(report.planned[0]?.about).toMatchObject({ uuid: 'a' })
  })

  it('tells in order who was told, called and on it, each once', async () => {
    const takings = [
      { by: 'U1', name: 'Ann', at: at(14) },
      { by: 'U2', name: 'Bea', at: at(16), from: 'Ann' },
      { by: 'U3', name: 'Cid', at: at(30), from: 'Bea' },
    ]
    const outages = [outage('a', 5, 20), outage('b', 6, undefined)]
    const first = cardOf(outages, { postedAt: at(7), calls: [{ at: at(12), names: '@oncall @lead' }] })
    const card = { ...first, card: { ...first.card, takings } }
    // The same was taken on another card, too.
    const again = cardOf(outages.slice(1), { card: { ...card.card, takings: takings.slice(1) } })
    const span = { from: at(5), to: at(60) }
    const { report, text, file } = await shown({ outages, span, cards: [card, again] }, card)
    expect(report.events.map(({ what, byName }) => byName ?? what)).toEqual([
      ...['down', 'down', 'told', 'called', 'Ann', 'Bea', 'up', 'Cid'],
    ])
    expect(text).toMatch(/^2 health checks went down together, and 1 is still down · from/)
    expect(text).toContain('Told in the channel: 2 health checks')
    expect(text).toContain('On it: Ann, 9 min after it fell; in the end Cid')
    for (const words of ['Ann is on it', 'Bea took it over from Ann', 'Cid took it over from Bea'])
      expect(file).toContain(`👤 ${words}`)
    expect(text).toContain('Still down: 1 health check')
    expect(file).toContain('📣 Called: @oncall @lead')
  })

  it('says how many mutes it has no room for', async () => {
    const muted = [0, 1, 2, 3, 4].map((from) => ({
      about: { kind: 'all' } as const,
      from: at(from),
      to: at(50),
    }))
    const { text, file } = await shown({ outages: [outage('a', 5, 20)], muted })
    expect(text).toMatch(/Muted: everything, .*; 2 more\n/)
    expect(file.match(/- everything, /g)).toHaveLength(5)
  })

  it('says first whether what was down several times is down now', async () => {
    const outages = [outage('a', 5, 20), outage('a', 30, undefined, { id: 'again' })]
    const asked = { outages, span: { from: at(5), to: at(60) } }
    const { text } = await shown(asked, cardOf(outages, { postedAt: at(7) }))
    expect(text).toMatch(/^check-a was down 2 times, 45 min in all, and is down now · from/)
    // What came later was no message of its own.
    expect(text).toContain('Told in the channel: check-a')
  })

  it('has all that was written on its card, also what came after the last poll that saw it down', async () => {
    const fell = outage('a', 5, 6)
    const takings = [{ by: 'U1', name: 'Ann', at: at(7) }]
    const first = cardOf([fell], { postedAt: at(8), calls: [{ at: at(7), names: '@oncall' }] })
    const { text } = await shown(
      { outages: [fell], span: { from: at(5), to: at(6) } },
      { ...first, card: { ...first.card, takings } },
    )
    expect(text).toContain('On it: Ann, 2 min after it fell')
    expect(text).toMatch(/Told here: <!date.*12:08 UTC>, 3 min after it fell/)
    expect(text).toContain('Called: 1 time')
    expect(text).not.toContain('not yet')
  })

  it('says what was muted, and what was told once more', async () => {
    const still = outage('a', 5, undefined)
    const head = {
      id: 'd'.repeat(22),
      environment: 'production',
      channelId: 'C1',
      changedAt: at(30),
    } as const
    const again = (reason: StillDownReason, minute: number): ReportedCard =>
      cardOf([still], {
        card: { ...head, kind: 'still-down', openedAt: at(minute), reason },
        postedAt: at(minute),
      })
    const muted = [
      { about: { kind: 'name', pattern: 'check-*' }, from: at(10), to: at(30) },
      { about: { kind: 'all' }, from: at(40) },
      { about: { kind: 'name', pattern: 'shop-*' }, from: at(10), to: at(30) },
    ] as const
    const cards = [again('mute-ended', 30), again('replaced', 40), again('reminder', 50)]
    const { report, text, file } = await shown({ outages: [still], muted, cards })
    expect(report.events.map(({ what }) => what)).toEqual(['down', 'retold', 'retold', 'retold'])
    expect(text).toContain('🔔 Told when a mute ended: 1 health check')
    expect(text).toContain('🔔 Reminded: 1 health check')
    expect(text).toMatch(/Muted: check-\*\W*, <!date.*12:10 UTC> to <!date.*12:30 UTC>; .*12:40 UTC> on/)
    expect(text).not.toContain('Not told here')
    expect(text).not.toContain('shop')
    expect(file).toContain('## Muted')
  })

  it('says of what nobody was told why that may be, and of a time that is over how it was then', async () => {
    const reported = { outages: [outage('a', 10, undefined)] }
    const { text } = await shown(reported)
    expect(text).toContain(
      'Not told here: 1 of 1 outage: muted, in maintenance, over too soon, or not watched here',
    )
    expect(text).toContain('Still down: 1 health check')
    const before = await shown({ ...reported, span: { from: at(0), to: at(30) } })
    expect(before.text).toContain('Still down then: 1 health check')
  })

  it('says of what is being installed that it is, and never that it is down', async () => {
    const installing = (to?: number) => outage('a', 5, to, { status: 'INSTALLING' })
    const of = async (fell: Outage) =>
      (await shown({ outages: [fell], span: { from: at(5), to: fell.endedAt ?? at(60) } }, cardOf([fell])))
        .text
    expect(await of(installing(25))).toContain('check-a was being installed 20 min')
    const goesOn = await of(installing())
    expect(goesOn).toContain('check-a is still installing after 55 min')
    expect(goesOn).toContain('Still installing: 1 health check')
    expect(goesOn).not.toMatch(/is down|Still down|went down/)
  })

  it('says the same of all that a channel watches which asks for nothing else', async () => {
    const statuses = ['INSTALLING'] as const
    const outages = [
      outage('a', 5, 25, { status: 'INSTALLING' }),
      outage('b', -5, undefined, { status: 'INSTALLING' }),
    ]
    const { text, file } = await shown({ outages, statuses })
    expect(text).toMatch(/^1 installation of 1 health check, installing 1 h 20 min, all checks together · /)
    for (const words of [
      'Already installing: 1',
      'Not told here: 1 of 1 installation:',
      'Installing in 1 h, of',
    ])
      expect(text).toContain(words)
    expect((await shown({ statuses })).text).toMatch(/^Nothing began to be installed · /)
    const unseen = await shown({ statuses, observed: [] })
    expect(unseen.text).toMatch(/^Nothing was watched, so nobody knows what began to be installed · /)
    for (const one of [text, file]) expect(one).not.toMatch(/is down|was down|, down|outage|uptime/i)
  })

  it('says of one that is down how long it has been', async () => {
    const fell = outage('a', 5, undefined)
    const span = { from: at(5), to: at(60) }
    expect((await shown({ outages: [fell], span }, cardOf([fell]))).text).toContain(
      'check-a has been down for 55 min',
    )
  })

  it('says of a quiet time that nothing went down', async () => {
    const { text } = await shown({})
    expect(text).toContain('Nothing went down')
    const watched = (await shown({ isOfWatched: true })).text
    expect(watched).toContain('Nothing that is watched here went down')
    expect(watched).not.toContain('Nothing went down')
    expect(text).not.toContain('Down in all')
    expect((await shown({ observed: [] })).text).toContain('Nothing was observed in this time.')
  })

  it.each([
    { planned: [], says: 'check-a was down 20 min', counts: false },
    {
      planned: [{ about: { kind: 'all' }, from: at(10), to: at(15) }],
      says: 'check-a was down 20 min',
      counts: true,
    },
  ] as const)(
    'says once how long it was, and what of it counts where that is less',
    async ({ planned, says, counts }) => {
      const fell = outage('a', 5, 25)
      const { text } = await shown(
        { outages: [fell], planned, span: { from: at(5), to: at(25) } },
        cardOf([fell]),
      )
      expect(text).toContain(says)
      expect(text.includes('Down in all: 15 min')).toBe(counts)
      expect(text.includes('Down in all')).toBe(counts)
    },
  )

  it('holds hostile names as text in a file', async () => {
    const fell = outage('a', 5, 6, { check: { uuid: 'a', name: '[x](https://evil.example)\n# <!channel>' } })
    const { file, text } = await shown({ outages: [fell] }, cardOf([fell]))
    expect(file).not.toMatch(/^# <|(?<!\\)\]\(/m)
    expect(text).not.toContain('<!channel>')
  })
})

describe('the time of a report', () => {
  // A Friday.
  const now = at(30)
  const read = (from: string, to?: string) => {
    const found = readSpan({ from, to }, now, 'Europe/Paris')
    return [found?.from.toISOString().slice(0, 16), found?.to.toISOString().slice(0, 16)]
  }
  it.each([
    ['24h', undefined, '2026-11-19T12:30', '2026-11-20T12:30'],
    ['14:00', undefined, '2026-11-19T13:00', '2026-11-20T12:30'],
    ['13:00', '13:15', '2026-11-20T12:00', '2026-11-20T12:15'],
    ['Monday 9:00', '2026-11-17', '2026-11-16T08:00', '2026-11-17T08:00'],
    ['2026-11-18 10:00', 'now', '2026-11-18T09:00', '2026-11-20T12:30'],
    // Over the change of clocks the time of day stays.
    ['2026-10-24 12:00', '2026-10-26 12:00', '2026-10-24T10:00', '2026-10-26T11:00'],
  ])('%s to %s', (from, to, begins, ends) => {
    expect(read(from, to)).toEqual([begins, ends])
  })
})
