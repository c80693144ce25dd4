import { expect, it } from 'vitest'
import { runs } from '../../long.ts'
import { seeded } from '../../random.ts'
import { createModel } from './model/model.ts'

/** Each with chances of its own, the same in every run. */
const DAYS = runs('NOISE_DAYS', { quick: 1, long: 50 })
const DAY = 24 * 60
/** A part of the day; in the long run all of it. */
const MINUTES = runs('NOISE_MINUTES', { quick: DAY / 4, long: DAY })

type IsBad = (minute: number) => boolean

/** Of 100 polls two are bad, here and there. */
function rarelyBad(day: number): IsBad {
  const { next } = seeded(day)
  return () => next() < 0.02
}

/** The same, but for those that a second one would confirm. */
function unconfirmed(day: number): IsBad {
  const isRarelyBad = rarelyBad(day)
  let before = false
  return (minute) => {
    before = !before && isRarelyBad(minute)
    return before
  }
}

interface Row {
  what: string
  minutes: number
  after?: number
  /** All of it is in maintenance. */
  isPlanned?: boolean
  isBadOn: (day: number) => IsBad
  most: number
}

/** How many messages a channel gets of one check, which is bad in these minutes. */
async function postsOf({ minutes, after = 1, isPlanned = false }: Row, isBad: IsBad): Promise<number> {
  await using model = await createModel()
  await model.watch(0, 0, after)
  await model.minute()
  const plan = { about: 0, inMinutes: 0, forMinutes: minutes + 60, channel: undefined, every: undefined }
  if (isPlanned) await model.planned.plan(0, plan)
  for (let minute = 0; minute < minutes; minute += 1) {
    model.set(0, isBad(minute) ? 'UNHEALTHY' : 'HEALTHY')
    await model.minute()
  }
  expect(model.faults).toEqual([])
  const posts = model.channels.calls.filter(({ method }) => method === 'post').length
  // That it is planned is said once.
  return isPlanned ? posts - 1 : posts
}

/** Polls, the rules, the database and the sending are those that are shipped; Slack and the service are in memory. */
it.each<Row>([
  { what: '2 % of bad polls', minutes: DAY, isBadOn: rarelyBad, most: 12 },
  { what: 'bad polls that two must confirm', minutes: MINUTES, after: 2, isBadOn: unconfirmed, most: 0 },
  { what: 'a flip each 2 minutes', minutes: 60, isBadOn: () => (minute) => minute % 4 < 2, most: 1 },
  { what: 'a flip each 25 minutes', minutes: MINUTES, isBadOn: () => (minute) => minute % 50 >= 25, most: 1 },
  {
    what: 'a flip each 2 minutes, and then down, in maintenance',
    minutes: 90,
    isPlanned: true,
    isBadOn: () => (minute) => minute > 60 || minute % 4 < 2,
    most: 0,
  },
])('posts $most messages at most of $what in $minutes minutes', { timeout: 600_000 }, async (row) => {
  const { isBadOn, most } = row
  let posts = 0
  for (let day = 0; day < DAYS; day += 1) posts += await postsOf(row, isBadOn(day))
  expect(posts / DAYS, `${posts} in ${DAYS} days`).toBeLessThanOrEqual(most)
})
