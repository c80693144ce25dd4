import { UserError } from '@signalman/runtime'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadAppRoutes } from '../../../docs/app-routes.ts'
import { resolveLine, splitCommand } from '../../../src/bot/routes/lines.ts'
import type { Verbs } from '../../../src/bot/routes/read-line.ts'
import type { Verb } from '../../../src/bot/routes/routes.ts'

const ID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'
let routes: Verbs

beforeAll(async () => {
  const { verbs } = await loadAppRoutes()
  const byCommand = Map.groupBy(verbs as readonly Verb[], ({ command }) => command)
  routes = {
    commands: () => [...byCommand.keys()],
    findVerbs: (command) => new Map(byCommand.get(command)?.map((verb) => [verb.verb, verb])),
  }
})

/** What a line is read as, with every verb of the app: the verb and its values, or the lines that are offered. */
function read(line: string): string {
  try {
    const { isAct, name, args } = resolveLine(routes, splitCommand(line))
    const { values, lists, flags } = args
    return `${isAct ? 'act' : 'read'} ${name} ${JSON.stringify({ ...values, ...lists, ...flags })}`
  } catch (error) {
    const offered = error instanceof UserError ? error.suggestions.map(({ line }) => line) : ['?']
    return `refused, offers ${offered.filter((each) => !each.endsWith(' help')).join(' or ') || 'nothing'}`
  }
}

describe('a line that ends in a question mark', () => {
  it.each([
    ['/hc unwatch?', '/hc unwatch'],
    ['/hc unwatch ?', '/hc unwatch'],
    ['/hc watch shop*?', '/hc watch shop*'],
    ['/hc mute all 30m ?', '/hc mute all 30m'],
    ['/hc env ote?', '/hc env ote'],
    ['/hc grant @ann operator 8h??', '/hc grant @ann operator 8h'],
    [`/threat take ${ID}?`, `/threat take ${ID}`],
    [`/threat note ${ID} is it gone?`, `/threat note ${ID} is it gone`],
    ['/cert-order withdraw 12 ?', '/cert-order withdraw 12'],
  ])('never acts: %s', (line, offered) => {
    expect(read(line)).toBe(`refused, offers ${offered}`)
  })

  it.each([
    ['/hc show shop?', 'read /hc show {"check":"shop?"}'],
    ['/hc unmute "shop?"', 'act /hc unmute {"check":"shop?"}'],
    [`/threat ${ID}?`, `read /threat {"ids":["${ID}?"]}`],
  ])('is read if it changes nothing, or the mark is part of a name: %s', (line, expected) => {
    expect(read(line)).toBe(expected)
  })
})

describe('quotes', () => {
  it.each([
    ['/hc mute shop until "18:00"', 'act /hc mute {"until":"until 18:00","check":"shop"}'],
    ['/hc grant @x "operator" "8h"', 'act /hc grant {"person":"@x","role":"operator","for":"8h"}'],
    ['/hc env "ote"', 'act /hc env {"environment":"ote"}'],
    ['/hc mute "Backup 2h" 4h', 'act /hc mute {"for":"4h","check":"Backup 2h"}'],
    ['/hc mute "all" 4h', 'act /hc mute {"for":"4h","check":"all"}'],
  ])('make a name only where the verb takes one: %s', (line, expected) => {
    expect(read(line)).toBe(expected)
  })
})

it.each([
  ['/hc show 24h Apotheke', 'read /hc show {"check":"24h Apotheke"}'],
  ['/hc mute Friday Deals 2h', 'act /hc mute {"for":"2h","check":"Friday Deals"}'],
  ['/hc watch Not in prod', 'act /hc watch {"check":"Not in prod"}'],
  ['/hc history Monday report', 'read /hc history {"check":"Monday report"}'],
  [
    '/hc maintenance Because Ltd --from 22:00 --for 2h',
    'act /hc maintenance {"check":"Because Ltd","from":"22:00","for":"2h"}',
  ],
  ['/hc checkout', 'read /hc show {"check":"checkout"}'],
  ['/hc auth', 'read /hc show {"check":"auth"}'],
  ['/hc git', 'read /hc show {"check":"git"}'],
  ['/hc Friday Deals', 'read /hc show {"check":"Friday Deals"}'],
  ['/hc wacth shop', 'refused, offers /hc watch shop'],
  ['/hc watch shop*, blog*', 'act /hc watch {"name":["shop*","blog*"]}'],
  [`/threat take don't ${ID}`, 'refused, offers nothing'],
  [`/threat take can I take ${ID} or is somebody on it`, 'refused, offers nothing'],
  [
    '/cert-order reject 12 wrong customer, should be 30',
    'read /cert-order reject {"number":"12","rest":"wrong customer, should be 30"}',
  ],
])('reads what was named: %s', (line, expected) => {
  expect(read(line)).toBe(expected)
})
