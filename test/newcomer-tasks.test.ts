import { describe, expect, it } from 'vitest'
import { askForOrder } from '../src/demo/order.ts'
import { startWorld } from './world.ts'

/** What people want, each as several of them would type it before they have read anything, and what they then have to see. */
const TASKS: readonly { wants: string; types: readonly string[]; sees: RegExp }[] = [
  {
    wants: 'who gets mail about shop.example?',
    types: [
      '/hc who gets mail about shop.example?',
      '/hc who is mailed about Shop till',
      '/hc alerts shop.example',
    ],
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
    sees: /Muted in this channel: Payments/,
  },
  {
    wants: 'who approved order 1?',
    types: [
      '/hc who approved order 1?',
      '/cert-order who approved order 1?',
      '/cert-order 1',
      '/cert-order show 1',
    ],
    sees: /Approvals: 0 of 1/,
  },
  {
    wants: 'is this domain still up?',
    types: [
      '/hc is shop.example still up?',
      '/hc is shop.example up',
      '/hc status shop.example',
      '/hc status Shop till',
      '/hc Shop till',
    ],
    sees: /Shop till is up/,
  },
  {
    wants: 'what broke last night?',
    types: [
      '/hc what broke last night?',
      '/hc history last night',
      '/hc outages last night',
      '/hc outages since yesterday',
      '/hc what was down last night?',
      '/hc last night',
      '/hc did anything happen today',
      '/hc what happened',
    ],
    sees: /Nothing was watched|No outage/,
  },
  {
    wants: 'what is down now?',
    types: [
      '/hc what is down?',
      '/hc which health checks are down?',
      '/hc which checks are broken',
      '/hc what’s down',
      '/hc whats failing now',
      '/hc down',
    ],
    sees: /\d+ health checks?(?:\n)? · down/,
  },
  {
    wants: 'give a check another name',
    types: ['/hc rename Shop till', '/hc rename Shop till to Shop desk', '/hc edit Shop till'],
    sees: /Edit health check[\s\S]*Seconds between checks/,
  },
  {
    wants: 'add five checks from a file',
    types: ['/hc add five checks from a file', '/hc import', '/hc upload checks', '/hc create from file'],
    sees: /CSV file/,
  },
  {
    wants: 'change a mail address everywhere',
    types: [
      '/hc replace oncall@shop.example with duty@shop.example',
      '/hc change oncall@shop.example to duty@shop.example everywhere',
      '/hc edit mail oncall@shop.example to duty@shop.example',
    ],
    sees: /duty@shop\.example[\s\S]*Nothing is changed yet/,
  },
  {
    wants: 'who can approve orders?',
    types: [
      '/hc who can approve orders?',
      '/cert-order who can approve',
      '/cert-order approvers',
      '/hc access',
    ],
    sees: /Roles[\s\S]*Approvers/,
  },
  {
    wants: 'why did nobody get told?',
    types: ['/hc why did nobody get told?', '/hc why was nobody told', '/hc watches'],
    sees: /is watched in this|No channel watches/,
  },
  {
    wants: 'undo what I just did',
    types: ['/hc undo', '/hc undo what I just did', '/hc revert', '/hc take that back'],
    sees: /nothing of yours to undo/,
  },
  {
    wants: 'how often is it checked? make it 30 s',
    types: [
      '/hc every 30 Shop till',
      '/hc edit Shop till every 30s',
      '/hc check Shop till every 30 seconds',
      '/hc set frequency of Shop till to 30',
    ],
    sees: /every 30 s/,
  },
  {
    wants: 'order a certificate',
    types: ['/cert-order', '/cert-order new', '/hc order a certificate', '/cert-order for shop.example'],
    sees: /Certificate signing request/,
  },
  {
    wants: 'take a threat case',
    types: [
      '/threat take 7e57ed00-0000-4000-8000-000000000002',
      '/threat claim 7e57ed00-0000-4000-8000-000000000002',
    ],
    sees: /This case is yours now|already have this case/,
  },
  {
    wants: 'show me the uptime of last week',
    types: ['/hc uptime last week', '/hc show me the uptime of last week', '/hc history last week'],
    sees: /last 7 days/,
  },
  {
    wants: 'plan maintenance Sunday 2–4 am for shop*',
    types: [
      '/hc plan maintenance Sunday 2–4 am for shop*',
      '/hc maintenance shop* Sunday 2-4 am',
      '/hc schedule maintenance for shop* Sunday 2am to 4am',
    ],
    sees: /Planned: maintenance of\s+shop\*[\s\S]*for 2 h/,
  },
  {
    wants: 'why was bob’s order refused?',
    types: [
      '/cert-order why was bob’s order refused?',
      '/hc why was bob’s order refused?',
      '/cert-order rejected',
    ],
    sees: /no orders that match: rejected/,
  },
  {
    wants: 'why was order 1 refused?',
    types: ['/hc why was order 1 refused?', '/cert-order why was order 1 rejected?'],
    sees: /Approvals: 0 of 1/,
  },
  {
    wants: 'stop telling this channel about Payments',
    types: [
      '/hc stop telling this channel about Payments',
      '/hc don’t tell us about Payments',
      '/hc no more Payments',
    ],
    sees: /Nothing is watched in this channel/,
  },
  {
    wants: 'what changed today?',
    types: ['/hc what changed today?', '/hc audit today', '/hc changes today', '/hc who changed what today?'],
    sees: /newest first|The last act |Nothing in the audit log fits/,
  },
  {
    wants: 'take bobby off everything',
    types: [
      '/hc take bobby off everything',
      '/hc take bobby@shop.example off everything',
      '/hc remove bobby@shop.example everywhere',
      '/hc recipients bobby --remove',
    ],
    sees: /Stop mailing bobby@shop\.example[\s\S]*Nothing is changed yet/,
  },
  {
    wants: 'call the on-call group when Payments is down for 10 min',
    types: [
      '/hc call the on-call group when Payments is down 10 min',
      '/hc call @on-call when Payments is down for 10 minutes',
      '/hc escalate Payments to @on-call after 10m',
    ],
    sees: /calls @.?on-call after 10 min/,
  },
  {
    wants: 'export all checks',
    types: ['/hc export all checks', '/hc download all checks', '/hc csv'],
    sees: /direct messages with Signalman/,
  },
  {
    wants: 'connect the workspace',
    types: ['/hc connect', '/hc setup', '/hc login'],
    sees: /Store a token/,
  },
]

describe('what a newcomer types', () => {
  it.each(TASKS)('leads to its answer in two steps: $wants', async ({ types, sees }) => {
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
    await askForOrder(world.slack)
    for (const line of types) {
      const [command = '', ...words] = line.split(' ')
      const typed = await member.command(command, words.join(' '))
      const [, mended] = /(?:Did you mean “|^)(\/[a-z-]+(?: [a-z-]+)?)/.exec(typed.text) ?? []
      const answer =
        mended && !sees.test(typed.text) ? await member.click(typed.message, `Run ${mended}`) : typed
      expect(`${answer.message?.text} ${answer.text}`, line).toMatch(sees)
      if (answer.view) await member.close({ all: true })
    }
  })
})
