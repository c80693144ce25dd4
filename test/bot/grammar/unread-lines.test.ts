import { expect, it } from 'vitest'
import { findMeantBy, readTypedLine } from './real-verbs.ts'

const ID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'

/** Lines that people type and that aren't read, and what is meant. Nothing is left out but small words. */
const LINES = `
/hc ls | /hc list
/hc lsit shop* | /hc list shop*
/hc wacth shop* | /hc watch shop*
/hc unsnooze Bank rates feed | /hc unmute "Bank rates feed"
/hc silence Shop checkout from 22:00 to 23:30 | /hc maintenance "Shop checkout" from 22:00 until 23:30
/hc uptime last 30 days | /hc history last 30 days
/hc uptime this week Media newsroom | /hc history "Media newsroom" this week
/hc uptime "Media newsroom" 30d | /hc history "Media newsroom" 30d
/hc rm Media newsroom | /hc delete "Media newsroom"
/hc add https://www.example.org | /hc create https://www.example.org
/hc add blog | /hc create blog
/hc add a note to web | nothing
/hc rm everything | /hc delete everything
/hc mute everything 2h | /hc mute all 2h
/hc add bob@example.com to web* | /hc recipients bob@example.com web* --add
/hc make @ann operator | /hc grant @ann operator
/hc give @ann admin for 2 hours | /hc grant @ann admin 2h
/hc silence Shop checkout 2h because deploy --env ote | /hc maintenance "Shop checkout" 2h --because deploy --env ote
/hc update "Shop checkout" port 8443 | /hc edit "Shop checkout" --port 8443
/hc set the Shop checkout frequency to 5m | /hc edit "Shop checkout" --frequency 5m
/hc update web* frequency=60 | /hc edit web* --frequency=60
/hc role add @ann approver | nothing
/hc escalate Shop checkout @on-call | /hc page "Shop checkout" @on-call
/hc mute Media* 22:00 to 23:30 | /hc maintenance Media* 22:00 until 23:30
/hc mute 30m Shop checkout | /hc mute "Shop checkout" 30m
/hc silence the Shop checkout for an hour | /hc mute "Shop checkout" for an hour
/hc mute the Shop checkout for half an hour please! | /hc mute "Shop checkout" for half an hour
/hc ack Shop checkout | /hc who Shop checkout
/hc silence web* in 2h | nothing
/hc remove ann@example.com all | /hc recipients ann@example.com all --remove
/hc demote @ann from admin | nothing
/hc demote @ann admin | /hc revoke @ann admin
/hc add bob@example.com to all | /hc recipients bob@example.com all --add
/hc update shop* --frequency 30 skip checkout | nothing
/hc update web* --frequency 30 tomorrow | nothing
/hc update web* --frequency 30 --environment ote | nothing
/hc history web --limit 5 | nothing
/hc audit web --status down | nothing
/hc export in web | /hc export in web
/hc status web --stage=ote | nothing
/hc follow all except "Friday Deals" | /hc watch all except "Friday Deals"
/hc who are you | /hc who
/hc whats down | /hc down
/hc restart everything now | nothing
/hc foo mute web* 2h | nothing
/hc cancel the meeting | /hc unmute meeting
/hc follow nosuch* | /hc watch nosuch*
/hc give @ann and @bob admin | nothing
/hc watches help please --name x | nothing
/threat list mine | /threat queue mine
/threat lookup ID | /threat ID
/threat comment ID asked the hoster | /threat note ID asked the hoster
/cert-order new shop.example.com | /cert-order shop.example.com
/cert-order cancel 3 | /cert-order withdraw 3
/cert-order deny 12 wrong domain | /cert-order reject 12 wrong domain
/cert-order copy 12 | /cert-order again 12
/cert-order status 12 | /cert-order show 12
/cert-order find shop.example.com | /cert-order list shop.example.com
/cert-order review | /cert-order approve
/cert-order rejected mine | /cert-order list rejected mine
/cert-order my orders | /cert-order list mine
/cert-order shop.example.com --years 1 | nothing
`
  .replaceAll(/\bID\b/g, ID)
  .trim()
  .split('\n')
  .map((row) => {
    const [typed = '', meant = ''] = row.split(' | ')
    return { typed, meant }
  })

it.each(LINES)('are understood if all of their words are read: $typed', async ({ typed, meant }) => {
  const found = await findMeantBy(typed)
  const { reading } = await readTypedLine(found?.line ?? '')
  expect(reading, found?.line).toBe((await readTypedLine(meant)).reading)
})

it.each([
  ['/hc unwatch Shop --name x', '/hc unwatch has only --channel, --env, not --name.'],
  ['/hc connect --token x', '/hc connect has only --env, not --token.'],
  ['/hc history --limit 5', '/hc history has only --env, --share, not --limit.'],
  ['/threat close --by x', '/threat close has only --as, --env, not --by.'],
])('names only flags that people type: %s', async (line, problem) => {
  expect((await readTypedLine(line)).message).toContain(problem)
})

it('find no name in what is left of a sentence without its small words', async () => {
  const checks = ['Time server', 'Image resizer'].map((name) => ({ uuid: name, name }))
  expect(await findMeantBy('/hc im on it', checks)).toBeUndefined()
  expect(await findMeantBy('/hc the im', checks)).toMatchObject({ line: '/hc im' })
})
