import { beforeAll, expect, it } from 'vitest'
import { splitCommand } from '../../../src/bot/routes/lines.ts'
import type { Verbs } from '../../../src/bot/routes/read-line.ts'
import { resolveTyped } from '../../../src/bot/unread/read-typed.ts'
import { loadVerbs } from './real-verbs.ts'

const ID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'
let routes: Verbs

beforeAll(async () => {
  routes = await loadVerbs()
})

/** What a line is read as, with every verb of the app: the verb and its values, or the lines that are offered. */
function read(line: string): string {
  try {
    const { isAct, verb, args } = resolveTyped(routes, splitCommand(line))
    const { values, lists, flags } = args
    return `${isAct ? 'act' : 'read'} ${verb.line} ${JSON.stringify({ ...values, ...lists, ...flags })}`
  } catch {
    return 'refused'
  }
}

it.each([
  '/hc unmute?',
  '/hc mute all 30m ?',
  '/hc grant @ann operator 8h??',
  `/threat take ${ID}?`,
  `/threat note ${ID} is it gone?`,
  `/threat note ${ID} gone ?!`,
  '/hc mute all 30m ❓',
  '/hc unwatch all? --env ote',
  '/hc grant @ann operator 8h --env ote?',
  '/hc audit today --export ? !',
  `/threat take (${ID}?)`,
  `/threat close ${ID}? --as down`,
  `/threat close ${ID} gone? --as down`,
  '/hc mute "Ready?" 2h?',
  '/hc watch shop*?',
])('never acts if it ends in a question mark: %s', (line) => expect(read(line)).toBe('refused'))

it.each([
  ['/hc show shop?', 'read /hc show {"check":"shop?"}'],
  ['/hc unmute "shop?"', 'act /hc unmute {"check":"shop?"}'],
  [`/threat note ${ID} "is it gone?"`, `act /threat note {"id":"${ID}","text":"is it gone?"}`],
])('is read if it changes nothing, or the mark is part of a name: %s', (line, expected) => {
  expect(read(line)).toBe(expected)
})

it.each([
  ['/hc mute shop until "18:00"', 'act /hc mute {"until":"18:00","check":"shop"}'],
  ['/hc grant @x "operator" "8h"', 'act /hc grant {"person":"@x","role":"operator","for":"8h"}'],
  ['/hc env "ote"', 'act /hc env {"environment":"ote"}'],
  ['/hc mute "Backup 2h" 4h', 'act /hc mute {"for":"4h","check":"Backup 2h"}'],
  ['/hc mute "all" 4h', 'act /hc mute {"for":"4h","check":"all"}'],
  ['/hc mute shop for "2h"', 'act /hc mute {"for":"2h","check":"shop"}'],
  ['/hc history "yesterday"', 'read /hc history {"check":"yesterday"}'],
])('quotes make a name only where the verb takes one: %s', (line, expected) => {
  expect(read(line)).toBe(expected)
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
  ['/hc mute Shop 2h 3h', 'act /hc mute {"for":"3h","check":"Shop 2h"}'],
  [`/hc mute ${ID} 1h 30m`, `act /hc mute {"for":"1h 30m","uuid":"${ID}"}`],
  ['/hc mute Shop until Friday 9:00', 'act /hc mute {"until":"Friday 9:00","check":"Shop"}'],
  ['/hc mute shop* until 2026-12-01 22:00', 'act /hc mute {"until":"2026-12-01 22:00","pattern":"shop*"}'],
  ['/hc list shop* down', 'read /hc list {"status":"UNHEALTHY","name":"shop*"}'],
  [
    '/hc list down tcp Group wiki',
    'read /hc list {"status":"UNHEALTHY","protocol":"TCP","name":"Group wiki"}',
  ],
  ['/hc maintenance Friday Deals 2h', 'read /hc maintenance-edit {"check":"Friday Deals","for":"2h"}'],
  ['/hc mute Shop 9:00 2h', 'act /hc mute {"for":"2h","check":"Shop 9:00"}'],
  ['/hc watch shop* except test*, stage*', 'act /hc watch {"not":["test*","stage*"],"name":["shop*"]}'],
  ['/hc watch shop* except "Shop, old"', 'act /hc watch {"not":["Shop, old"],"name":["shop*"]}'],
  ['/hc edit web --name shop', 'read /hc edit {"check":"web","name":"shop"}'],
  ['/hc mute Opt "for" 2h', 'act /hc mute {"for":"2h","check":"Opt for"}'],
  ['/hc mute shop until 18:00 tomorrow', 'act /hc mute {"until":"18:00 tomorrow","check":"shop"}'],
  ['/hc mute shop yesterday', 'read /hc mute {"check":"shop yesterday"}'],
  [
    '/hc watch shop* except shop-test @on-call',
    'act /hc watch {"not":["shop-test @on-call"],"name":["shop*"]}',
  ],
  ['/hc watch Backup 2am*', 'act /hc watch {"name":["Backup 2am*"]}'],
  ['/hc watch all except Friday Deals', 'act /hc watch {"all":"all","not":["Friday Deals"]}'],
  ['/hc watch all except Friday Deals, web-1', 'act /hc watch {"all":"all","not":["Friday Deals","web-1"]}'],
  ['/hc maintenance Backup 2h --from now --for 2h', 'refused'],
  ['/hc watch shop* in #C0GENERAL1', 'act /hc watch {"name":["shop*"],"channel":"#C0GENERAL1"}'],
  ['/hc audit by @ann yesterday', 'read /hc audit {"person":"@ann","period":"yesterday"}'],
  [
    '/hc create Blog https://b.example.com every 5m',
    'read /hc create {"frequency":"5m","target":"https://b.example.com","name":"Blog"}',
  ],
  ['/hc show -v2', 'read /hc show {"check":"-v2"}'],
  ['/hc checkout', 'read /hc show {"check":"checkout"}'],
  ['/hc Friday Deals', 'read /hc show {"check":"Friday Deals"}'],
  ['/hc watch shop*, blog*', 'act /hc watch {"name":["shop*","blog*"]}'],
  [`/threat take don't ${ID}`, 'refused'],
  [
    '/cert-order reject 12 wrong customer, should be 30',
    'read /cert-order reject {"number":"12","reason":"wrong customer, should be 30"}',
  ],
  ['/hc edit web --freq 60', 'refused'],
  ['/hc list --share "yes"', 'act /hc list {"share":true,"name":"yes"}'],
  ['/hc edit "web port 2"', 'read /hc edit {"check":"web port 2"}'],
  [
    `/threat note ${ID} see the tool with --help`,
    `act /threat note {"id":"${ID}","text":"see the tool with --help"}`,
  ],
])('reads what was named: %s', (line, expected) => {
  expect(read(line)).toBe(expected)
})
