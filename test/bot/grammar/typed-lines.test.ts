import { expect, it } from 'vitest'
import { readTypedLine, type TypedLine } from './real-verbs.ts'

/**
 * Lines that people type into bots like this one, and what they mean by them, collected before any of them was tried. `refused`: nothing
 * may run.
 */
const LINES = `
/hc | /hc
/hc status | /hc
/hc status checkout | /hc show checkout
/hc pause checkout 2h | /hc mute checkout 2h
/hc resume checkout | /hc unmute checkout
/hc follow checkout | /hc watch checkout
/cert-order deny 3 | /cert-order reject 3
/hc checkout | /hc show checkout
/hc Shop web | /hc show Shop web
/hc list | /hc list
/hc ls | /hc list
/hc list down | /hc list down
/hc down | /hc down
/hc down shop* | /hc down shop*
/hc what's down | /hc down
/hc up | /hc list up
/hc list http | /hc list http
/hc list shop* --status down | /hc list shop* down
/hc show checkout | /hc show checkout
/hc get checkout | /hc show checkout
/hc info checkout | /hc show checkout
/hc details checkout | /hc show checkout --details
/hc check checkout | /hc show checkout
/hc search checkout | /hc list checkout
/hc find shop* | /hc list shop*
/hc add blog https://blog.example.com | /hc create blog https://blog.example.com
/hc create blog https://blog.example.com | /hc create blog https://blog.example.com
/hc create blog https://blog.example.com every 5m | /hc create blog https://blog.example.com --frequency 5m
/hc new blog | /hc create blog
/hc create https://blog.example.com | /hc create https://blog.example.com
/hc edit checkout | /hc edit checkout
/hc update checkout | /hc edit checkout
/hc edit checkout --frequency 30 | /hc edit checkout --frequency 30
/hc edit checkout --frequency 30s | /hc edit checkout --frequency 30
/hc edit checkout 60 | /hc edit checkout --frequency 60
/hc edit checkout every 60s | /hc edit checkout --frequency 60s
/hc edit checkout every 5 minutes | /hc edit checkout every 5minutes
/hc rename web "Web shop" | /hc edit web --name "Web shop"
/hc rename web api to Web shop | /hc edit web api --name "Web shop"
/hc edit web --name Web shop | /hc edit web --name Web shop
/hc edit web port 8443 | /hc edit web --port 8443
/hc edit web frequency=60 | /hc edit web --frequency 60
/hc edit web --interval 1m | /hc edit web --frequency 1m
/hc edit web --url https://web.example.com | /hc edit web --target https://web.example.com
/hc edit web --ssl no | /hc edit web --verify-ssl no
/hc edit web --set-name shop | /hc edit web --name shop
/hc create blog https://blog.example.com --interval 300 | /hc create blog https://blog.example.com --frequency 300
/hc delete blog | /hc delete blog
/hc remove blog | /hc delete blog
/hc rm blog | /hc delete blog
/hc alerts checkout | /hc alerts checkout
/hc alerts off | /hc mute all 1h
/hc recipients ann@example.com | /hc recipients ann@example.com
/hc recipients ann@example.com bob@example.com | /hc recipients ann@example.com --replace-with bob@example.com
/hc replace ann@example.com with bob@example.com | /hc recipients ann@example.com --replace-with bob@example.com
/hc recipients add bob@example.com web api | /hc recipients bob@example.com web api --add
/hc add bob@example.com to web | /hc recipients bob@example.com web --add
/hc remove email bob@example.com from web | /hc recipients bob@example.com web --remove
/hc revert | /hc undo
/hc bulk | /hc import
/hc subscribe checkout | /hc watch checkout
/hc watch shop* | /hc watch shop*
/hc watch all | /hc watch all
/hc watch checkout 10m @on-call | /hc watch checkout --escalate "10m @on-call"
/hc watch shop* except shop-test* | /hc watch shop* --not shop-test*
/hc watch shop* --escalate 10m @on-call | /hc watch shop* --escalate "10m @on-call"
/hc watch shop*, blog* | /hc watch shop* blog*
/hc watch all in #ops | /hc watch all --channel #ops
/hc unsubscribe | /hc unwatch
/hc unsubscribe checkout | /hc unwatch checkout
/hc stop | /hc unwatch
/hc unwatch all | /hc unwatch all
/hc watches | /hc watches
/hc mute checkout 30m | /hc mute checkout 30m
/hc mute checkout for 30m | /hc mute checkout 30m
/hc mute checkout for 2 hours | /hc mute checkout 2h
/hc mute checkout 30 | /hc mute checkout 30m
/hc mute checkout until 18:00 | /hc mute checkout until 18:00
/hc mute checkout until tomorrow 9am | /hc mute checkout until tomorrow 9:00
/hc mute checkout till 18:00 | /hc mute checkout until 18:00
/hc mute 2h checkout | /hc mute checkout 2h
/hc mute all 1h | /hc mute all 1h
/hc silence checkout 2h | /hc mute checkout 2h
/hc snooze checkout 1h | /hc mute checkout 1h
/hc unmute checkout | /hc unmute checkout
/hc unsilence checkout | /hc unmute checkout
/hc maintenance shop* from 22:00 for 2h | /hc maintenance shop* --from 22:00 --for 2h
/hc maintenance shop* --from 22:00 --for 2h | /hc maintenance shop* --from 22:00 --for 2h
/hc maintenance shop* 22:00 2h | /hc maintenance shop* --from 22:00 --for 2h
/hc maintenance Friday Deals 2h | /hc maintenance "Friday Deals" --for 2h
/hc maintenance shop* from 22:00 for 2h every week | /hc maintenance shop* --from 22:00 --for 2h --every week
/hc maintenance | /hc maintenance
/hc ack checkout | /hc down
/hc resolve checkout | /hc mute checkout 1h
/hc page checkout @ann | /hc page checkout @ann
/hc escalate checkout | /hc page checkout
/hc history | /hc history
/hc history checkout 7d | /hc history checkout 7d
/hc history checkout today | /hc history checkout today
/hc history checkout this week | /hc history checkout this week
/hc history last week | /hc history last week
/hc uptime checkout | /hc history checkout
/hc incidents | /hc history
/hc audit @ann yesterday | /hc audit @ann yesterday
/hc audit by @ann | /hc audit @ann
/hc grant @ann operator 8h | /hc grant @ann operator 8h
/hc grant @ann operator for 8h | /hc grant @ann operator 8h
/hc grant @ann admin until friday | /hc grant @ann admin until Friday
/hc who is on call | /hc down
/hc settings | /hc access
/hc version | /hc version
/hc --version | /hc version
/hc help mute | /hc help mute
/hc mute --help | /hc help mute
/hc login | /hc connect
/hc env ote | /hc env ote
/hc export shop* | /hc export shop*
/threat 3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d | /threat 3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d
/threat lookup 3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d | /threat 3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d
/threat take 3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d | /threat take 3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d
/threat close 3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d --as down | /threat close 3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d --as down
/threat mine | /threat queue mine
/threat list | /threat queue
/cert-order | /cert-order
/cert-order list pending | /cert-order list awaiting
/cert-order pending | /cert-order list awaiting
/cert-order mine | /cert-order list mine
/cert-order status | /cert-order show
/cert-order approve #12 | /cert-order approve 12
/cert-order 12 | /cert-order show 12
/cert-order cancel 12 | /cert-order withdraw 12
/hc mute checkout for lunch | refused
/hc unwatch? | refused
/hc mute all 30m? | refused
/hc should I mute checkout for 2h | refused
/hc mute checkout 2h please | refused
/hc delete web* --dry-run | refused
`
  .trim()
  .split('\n')
  .map((row): readonly [typed: string, meant: string] => {
    const [typed = '', meant = ''] = row.split(' | ')
    return [typed, meant]
  })

/** Lines that lead nowhere, but don't act either. */
const NOWHERE = ['/hc details checkout', '/hc edit checkout --frequency 30s', '/hc ack checkout', '/hc login']

type Verdict = 'right' | 'one press' | 'nowhere' | 'wrong'

async function judge(typed: string, meant: string): Promise<Verdict> {
  const line = await readTypedLine(typed)
  if (meant === 'refused') return line.isAct ? 'wrong' : 'right'
  const wanted = await readTypedLine(meant)
  const isMeant = (other: TypedLine): boolean =>
    wanted.reading !== undefined && other.reading === wanted.reading
  if (isMeant(line)) return 'right'
  const offered = await Promise.all(line.offered.map(readTypedLine))
  if (offered.some(isMeant)) return 'one press'
  return line.isAct ? 'wrong' : 'nowhere'
}

it('reads what people type, or offers the line that they meant', async () => {
  const verdicts = await Promise.all(
    LINES.map(async ([typed, meant]) => [typed, await judge(typed, meant)] as const),
  )
  const withVerdict = (wanted: Verdict) =>
    verdicts.filter(([, verdict]) => verdict === wanted).map(([typed]) => typed)
  expect(withVerdict('wrong')).toEqual([])
  expect(withVerdict('nowhere')).toEqual(NOWHERE)
  expect(withVerdict('right').length + withVerdict('one press').length).toBeGreaterThanOrEqual(
    0.9 * LINES.length,
  )
})
