import { describe, expect, it } from 'vitest'
import { requestOrder } from '../src/demo/order.ts'
import { startWorld } from './world.ts'

/** What people want, what several of them would type without reading anything first, and what they must see. */
const TASKS: readonly { wants: string; types: readonly string[]; sees: RegExp }[] = [
  {
    wants: 'who gets mail about shop.example?',
    types: ['/hc alerts shop.example'],
    sees: /oncall@shop\.example/,
  },
  {
    wants: 'silence payments until tomorrow 9:00',
    types: [
      '/hc silence Payments until tomorrow 9:00',
      '/hc mute Payments until tomorrow 9am',
      '/hc mute Payments 2 hours',
      '/hc snooze Payments for an hour',
    ],
    sees: /Muted Payments.* in this channel/,
  },
  {
    wants: 'who approved order 1?',
    types: ['/cert-order show 1'],
    sees: /Approvals: 0 of 1/,
  },
  {
    wants: 'is this domain still up?',
    types: ['/hc status shop.example', '/hc status Shop till', '/hc Shop till', '/hc show Shop till'],
    sees: /Shop till is up/,
  },
  {
    wants: 'what broke?',
    types: ['/hc history', '/hc outages', '/hc incidents'],
    sees: /Nothing was observed|No outage/,
  },
  {
    wants: 'what is down now?',
    types: ['/hc down', '/hc unhealthy'],
    sees: /\d+ health checks?(?:\n)? · down/,
  },
  {
    wants: 'give a check another name',
    types: ['/hc rename Shop till', '/hc edit Shop till'],
    sees: /Edit health check[\s\S]*Seconds between checks/,
  },
  { wants: 'add five checks from a file', types: ['/hc import', '/hc upload'], sees: /CSV file/ },
  {
    wants: 'change a mail address everywhere',
    types: ['/hc recipients oncall@shop.example --replace-with duty@shop.example'],
    sees: /duty@shop\.example[\s\S]*Nothing has changed yet/,
  },
  {
    wants: 'who can approve orders?',
    types: ['/cert-order approvers', '/hc access', '/hc roles', '/hc permissions'],
    sees: /Roles[\s\S]*Approvers/,
  },
  {
    wants: 'why did nobody get told?',
    types: ['/hc watches'],
    sees: /is watched in this|No channel watches/,
  },
  {
    wants: 'undo what I just did',
    types: ['/hc undo', '/hc revert', '/hc rollback'],
    sees: /nothing to undo/,
  },
  {
    wants: 'how often is it checked? make it 30 s',
    types: ['/hc edit Shop till --frequency 30', '/hc change Shop till --frequency 30'],
    sees: /every 30 s/,
  },
  {
    wants: 'order a certificate',
    types: ['/cert-order', '/cert-order new', '/hc order'],
    sees: /Certificate signing request/,
  },
  {
    wants: 'take a threat case',
    types: ['/threat take 7e57ed00-0000-4000-8000-000000000002'],
    sees: /This case is yours now/,
  },
  {
    // Each in its own world, because the card of a taken case arrives at an unpredictable time.
    wants: 'claim a threat case',
    types: ['/threat claim 7e57ed00-0000-4000-8000-000000000002'],
    sees: /This case is yours now/,
  },
  {
    wants: 'show me the uptime of last week',
    types: ['/hc uptime --days 7', '/hc history --days 7'],
    sees: /last 7 days/,
  },
  {
    wants: 'plan maintenance Sunday 2–4 am for shop*',
    types: ['/hc maintenance shop* Sunday 2-4 am', '/hc downtime shop* Sunday 2am to 4am'],
    sees: /Planned maintenance of\s+shop\*[\s\S]*for 2 h/,
  },
  {
    wants: 'why was an order refused?',
    types: ['/cert-order rejected', '/cert-order refused'],
    sees: /no orders that match: rejected/,
  },
  {
    wants: 'stop telling this channel about Payments',
    types: ['/hc unwatch Payments', '/hc unsubscribe Payments'],
    sees: /Nothing is watched in this channel/,
  },
  {
    wants: 'what changed today?',
    types: ['/hc audit', '/hc log', '/hc audit --from 24h'],
    sees: /newest first|The last entry|No audit entries match/,
  },
  {
    wants: 'take bobby off everything',
    types: ['/hc recipients bobby --remove', '/hc recipients bobby@shop.example --remove'],
    sees: /Stop mailing bobby@shop\.example[\s\S]*Nothing has changed yet/,
  },
  {
    wants: 'call the on-call group when Payments is down for 10 min',
    types: [
      '/hc watch Payments --escalate "10m @on-call"',
      '/hc subscribe Payments --escalate "10m @on-call"',
    ],
    sees: /pages @.?on-call after 10 min/,
  },
  {
    wants: 'export all checks',
    types: ['/hc export', '/hc download'],
    sees: /send you (?:the|its) file in a DM/,
  },
  { wants: 'connect the workspace', types: ['/hc connect', '/hc setup', '/hc login'], sees: /Store a token/ },
]

describe('a newcomer’s command', () => {
  it.each(TASKS)('leads to the answer in two steps: $wants', async ({ types, sees }) => {
    await using world = await startWorld({ sandbox: { seed: true } })
    const { member } = world.slack
    await world.service.addCheck({
      name: 'Shop till',
      target: 'https://shop.example/health',
      protocol: 'HTTPS',
      frequency: 60,
      status: 'HEALTHY',
      alerts: [['oncall@shop.example', 'bobby@shop.example']],
    })
    await world.service.addCheck({ name: 'Payments', target: 'https://pay.example/', protocol: 'HTTPS' })
    await requestOrder(world.slack)
    for (const line of types) {
      const [command = '', ...words] = line.split(' ')
      const typed = await member.command(command, words.join(' '))
      const [, offered] = /"text":"(Run [^"]+)"/.exec(JSON.stringify(typed.message?.blocks ?? [])) ?? []
      const answer = offered && !sees.test(typed.text) ? await member.click(typed.message, offered) : typed
      expect(`${answer.message?.text} ${answer.text}`, line).toMatch(sees)
      if (answer.view) await member.close({ all: true })
    }
  })
})
