import { expect, it } from 'vitest'
import { findInstead } from '../../../src/bot/routes/other-words.ts'
import { splitWords } from '../../../src/domain/quoting.ts'
import { draftTyped, readTypedLine } from './real-verbs.ts'

const ID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'

/** Lines that people type and that aren't read, what is understood, and the words that it leaves out. */
const LINES = `
/hc ls | /hc list
/hc lsit shop* | /hc list shop*
/hc wacth shop* | /hc watch shop*
/hc silence Shop checkout for 1h | /hc mute "Shop checkout" 1h
/hc please mute Shop checkout for 30 minutes | /hc mute "Shop checkout" 30m
/hc unsnooze Bank rates feed | /hc unmute "Bank rates feed"
/hc silence Shop checkout from 22:00 to 23:30 | /hc maintenance "Shop checkout" from 22:00 until 23:30
/hc mute everything till 18:00 | /hc mute all until 18:00
/hc uptime last 30 days | /hc history last 30 days
/hc uptime newsroom 30d | /hc history "Media newsroom" 30d
/hc rm Media newsroom | /hc delete "Media newsroom"
/hc add https://www.example.org | /hc create https://www.example.org
/hc add blog | /hc create blog
/hc add blog https://blog.example.com | /hc create blog https://blog.example.com
/hc add shop https://shop.example.org | /hc create shop https://shop.example.org
/hc add bob@example.com to web | /hc recipients bob@example.com "web" --add
/hc remove bob@example.com from web | /hc recipients bob@example.com "web" --remove | from
/hc make @ann operator | /hc grant @ann operator
/hc give @ann admin for 2 hours | /hc grant @ann admin 2h
/hc web mute 2h | /hc mute "web" 2h
/hc newsroom histroy 30d | /hc history "Media newsroom" 30d
/hc is Shop checkout down? | /hc show "Shop checkout" | down
/hc how is the newsroom | /hc show "Media newsroom" | how
/hc update newsroom address | /hc edit "Media newsroom" | address
/hc mute Shop checkout because deploy 1h | /hc mute "Shop checkout" 1h | because deploy
/hc silence Shop checkout 2h because deploy --env ote | /hc maintenance "Shop checkout" 2h --because deploy --env ote
/hc update Shop checkout port 8443 | /hc edit "Shop checkout" --port 8443
/hc update web* frequency=60 | /hc edit web* --frequency=60
/hc uptime blog 30d somebody should look into that right now | /hc history "blog" 30d | somebody should look into that right now
/hc how often was blog down last month | /hc show "blog" | how often down last month
/hc status web and blog | /hc show "web" | blog
/hc schedule web because of deploy from 22:00 for 2h | /hc maintenance "web" from 22:00 2h --because of deploy
/hc subscribe this channel to shop* | /hc watch shop* | channel
/hc update web frequency 60 with love | /hc edit "web" | frequency 60 with love
/hc role "add" @ann approver | /hc grant @ann approver | add
/hc mute quiet web 2h | /hc mute "web" 2h | quiet
/hc role add @ann approver | /hc grant @ann approver
/hc escalate 15m @on-call | /hc watch --escalate "15m @on-call"
/hc follow all except Friday Deals | /hc watch all except "Friday Deals"
/hc watch newsroom and page @on-call | /hc watch "Media newsroom" | page @on-call
/hc who are you | /hc who
/hc status | /hc
/hc schedule Shop checkout tonight 22:00-23:30 | /hc maintenance "Shop checkout" tonight 22:00 until 23:30
/hc schedule Shop checkout 10pm–11pm | /hc maintenance "Shop checkout" 10pm until 11pm
/hc schedule Shop checkout "22:00-23:30" | /hc maintenance "Shop checkout" | 22:00-23:30
/hc schedule Shop checkout 22-23 | /hc maintenance "Shop checkout" | 22-23
/hc orders | /hc list
/hc restart everything now | nothing
/hc foo mute web* 2h | nothing
/hc cancel the meeting | nothing
/hc unsubscribe ann@example.com web who both joined here just last bob@example.com | nothing
/hc follow nosuch* | /hc watch nosuch*
/hc give @ann and @bob admin | nothing
/hc remove ann@example.com and bob@example.com from web | /hc recipients ann@example.com bob@example.com "web" --remove | from
/hc watches help please --name x | /hc watches | help --name x
/hc review the plan | nothing
/hc rm bank | /hc delete "bank"
/hc schedule nosuch --becuse web | /hc maintenance | nosuch --becuse web
/hc schedule --becuse=deploy web | /hc maintenance "web" | --becuse=deploy
/threat list mine | /threat queue mine
/threat lookup ID | /threat ID
/threat take ID please | /threat take ID
/threat comment ID asked the hoster | /threat note ID asked the hoster
/cert-order new shop.example.com | /cert-order shop.example.com
/cert-order cancel 3 | /cert-order withdraw 3
/cert-order deny 12 wrong domain | /cert-order reject 12 wrong domain
/cert-order status 12 | /cert-order show 12
/cert-order status of my order | /cert-order show of my order
/cert-order find shop.example.com | /cert-order list shop.example.com
/cert-order review | /cert-order list pending
/cert-order rejected mine | /cert-order list rejected mine
/cert-order shop.example.com --years 1 | /cert-order shop.example.com | --years 1
/cert-order who decides | nothing
/cert-order who approves | nothing
`
  .replaceAll(/\bID\b/g, ID)
  .trim()
  .split('\n')
  .map((row) => {
    const [typed = '', meant = '', leftOut = ''] = row.split(' | ')
    return { typed, meant, leftOut }
  })

it.each(LINES)(
  'are understood as far as the reader reads them: $typed',
  async ({ typed, meant, leftOut }) => {
    const draft = await draftTyped(typed)
    expect(draft?.leftOut.map(({ text }) => text).join(' ') ?? '').toBe(leftOut)
    const { reading } = await readTypedLine(draft?.line ?? '')
    expect(reading, draft?.line).toBe((await readTypedLine(meant)).reading)
  },
)

it('say what to do instead of what Signalman doesn’t do', () => {
  const find = (command: string, text: string) => findInstead(command, splitWords(text))?.line
  expect(find('hc', 'ack shop')).toBe('/hc who')
  expect(find('threat', 'takedown 12')).toBe('/threat queue')
  expect(find('cert-order', 'expiring')).toBe('/cert-order list')
  expect(find('hc', '"ack"')).toBeUndefined()
  expect(find('hc', 'reassign shop')).toBe('/hc who')
})

it.each([
  ['status production', undefined],
  ['status pay ote', undefined],
  ['status production database', '/hc show "Production database"'],
])('don’t take the name of an environment alone for that of a check: %s', async (typed, meant) => {
  const checks = [
    { uuid: 'u1', name: 'Production database' },
    { uuid: 'u2', name: 'pay' },
  ]
  expect((await draftTyped(`/hc ${typed}`, checks))?.line).toBe(meant)
})

it.each([
  ['silence web really 2h soon', '“really” and “soon”'],
  ['silence web both of the rooms 2h', '“both of the rooms”'],
])('quote each run of words that is left out as it was typed: %s', async (typed, unread) => {
  expect((await draftTyped(`/hc ${typed}`))?.unread).toBe(unread)
})

it('aren’t understood if they are too long for a command', async () => {
  expect(await draftTyped(`/hc silence web 2h${' really'.repeat(60)}`)).toBeUndefined()
})

it.each([
  ['/hc unwatch Shop --name x', '/hc unwatch has only --channel, --env, not --name.'],
  ['/hc connect --token x', '/hc connect has only --env, not --token.'],
  ['/hc history --limit 5', '/hc history has only --env, --share, not --limit.'],
  ['/threat close --by x', '/threat close has only --as, --env, not --by.'],
  ['/hc list -share', 'A flag has two dashes: --share.'],
])('names only flags that people type: %s', async (line, problem) => {
  expect((await readTypedLine(line)).message).toContain(problem)
})

it('doesn’t name a flag of a button that was typed with one dash', async () => {
  expect((await readTypedLine('/hc unwatch -seen x')).message).not.toContain('--seen')
})
