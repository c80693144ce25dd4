import type { Answer, User } from '@signalman/playground/driver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestOrder } from '../src/demo/order.ts'
import { startWorld, type World } from './world.ts'

interface Task {
  goal: string
  lines: readonly string[]
  answer: RegExp
  /** The answer says that there is nothing, so no other task may have added anything. */
  findsNothing?: true
}

/** Goals of newcomers, with the commands that they might type without reading the docs, and a pattern that the answer must match. */
const TASKS: readonly Task[] = [
  {
    goal: 'who gets mail about shop.example?',
    lines: ['/hc alerts shop.example', '/hc who gets mail for Shop till?', '/hc recipients Shop till'],
    answer: /oncall@shop\.example/,
  },
  {
    goal: 'silence payments until tomorrow 9:00',
    lines: [
      '/hc silence Payments until tomorrow 9:00',
      '/hc mute Payments until tomorrow 9am',
      '/hc mute Payments 2 hours',
      '/hc snooze Payments for an hour',
    ],
    answer: /Muted Payments.* in this channel/,
  },
  {
    goal: 'who approved order 1?',
    lines: ['/cert-order show 1'],
    answer: /Approvals: 0 of 1/,
  },
  {
    goal: 'is this domain still up?',
    lines: ['/hc status shop.example', '/hc status Shop till', '/hc Shop till', '/hc show Shop till'],
    answer: /Shop till is up/,
  },
  {
    goal: 'what broke?',
    findsNothing: true,
    lines: ['/hc history', '/hc outages', '/hc incidents'],
    answer: /Signalman wasn’t watching|No outage/,
  },
  {
    goal: 'what is down now?',
    lines: ['/hc down', '/hc unhealthy'],
    answer: /\d+ health checks?(?:\n)? · down/,
  },
  {
    goal: 'give a check another name',
    lines: ['/hc rename Shop till', '/hc edit Shop till'],
    answer: /Edit health check[\s\S]*Seconds between checks/,
  },
  { goal: 'add five checks from a file', lines: ['/hc import', '/hc upload'], answer: /CSV file/ },
  {
    goal: 'change a mail address everywhere',
    lines: ['/hc recipients oncall@shop.example --replace-with duty@shop.example'],
    answer: /duty@shop\.example[\s\S]*Nothing has changed yet/,
  },
  {
    goal: 'who can approve orders?',
    lines: ['/cert-order approvers', '/hc access', '/hc roles', '/hc permissions'],
    answer: /approver: can approve and place certificate orders/,
  },
  {
    goal: 'why was nobody notified?',
    findsNothing: true,
    lines: ['/hc watches'],
    answer: /is watched in this|No channel watches/,
  },
  {
    goal: 'undo what I just did',
    findsNothing: true,
    lines: ['/hc undo', '/hc revert', '/hc rollback'],
    answer: /nothing to undo/,
  },
  {
    goal: 'how often is it checked? make it 30 s',
    lines: ['/hc edit Shop till --frequency 30', '/hc change Shop till --frequency 30'],
    answer: /every 30 s/,
  },
  {
    goal: 'order a certificate',
    lines: ['/cert-order', '/cert-order new', '/hc order'],
    answer: /Certificate signing request/,
  },
  {
    goal: 'take a threat case',
    lines: ['/threat take 7e57ed00-0000-4000-8000-000000000002'],
    answer: /This case is yours now/,
  },
  {
    goal: 'claim a threat case',
    lines: ['/threat claim 7e57ed00-0000-4000-8000-000000000003'],
    answer: /This case is yours now/,
  },
  {
    goal: 'show me the uptime of last week',
    lines: ['/hc uptime --days 7', '/hc history --days 7'],
    answer: /last 7 days/,
  },
  {
    goal: 'plan maintenance Sunday 2–4 am for shop*',
    lines: ['/hc maintenance shop* Sunday 2-4 am', '/hc downtime shop* Sunday 2am to 4am'],
    answer: /Planned maintenance of\s+shop\*[\s\S]*for 2 h/,
  },
  {
    goal: 'why was an order refused?',
    lines: ['/cert-order rejected', '/cert-order refused'],
    answer: /No certificate order matches · rejected/,
  },
  {
    goal: 'stop telling this channel about Payments',
    findsNothing: true,
    lines: ['/hc unwatch Payments', '/hc unsubscribe Payments'],
    answer: /Nothing is watched in this channel/,
  },
  {
    goal: 'what changed today?',
    lines: ['/hc audit', '/hc log', '/hc audit --from 24h'],
    answer: /newest first|The last entry|No audit entries match/,
  },
  {
    goal: 'take bobby off everything',
    lines: ['/hc recipients bobby@shop.example --remove'],
    answer: /Stop emailing bobby@shop\.example[\s\S]*Nothing has changed yet/,
  },
  {
    goal: 'call the on-call group when Payments is down for 10 min',
    lines: [
      '/hc watch Payments --escalate "10m @on-call"',
      '/hc subscribe Payments --escalate "10m @on-call"',
    ],
    answer: /pages @.?on-call after 10 min/,
  },
  {
    goal: 'export all checks',
    lines: ['/hc export', '/hc download'],
    // If it is done at once, the answer is already edited.
    answer: /send you (?:the|its) file in a DM|^Export(?:ing|ed \d+) health checks/,
  },
  {
    goal: 'connect the workspace',
    lines: ['/hc connect', '/hc setup', '/hc login'],
    answer: /Store a token/,
  },
  {
    goal: 'since when is it red?',
    lines: ['/hc since when is Depot feed down?', '/hc why is depot down?', '/hc depot'],
    answer: /Depot feed is down/,
  },
  {
    goal: 'I’m on it',
    lines: ['/hc on it', '/hc ack Depot feed'],
    answer: /press “I’m on it” on the message that reports it/,
  },
  {
    goal: 'tell me when it recovers',
    lines: ['/hc tell me when Depot feed is back'],
    answer: /DM when it’s up again: Depot feed/,
  },
  {
    goal: 'test it from here',
    lines: ['/hc diagnose Payments', '/hc test payments', '/hc ping Payments'],
    answer: /Seen from here/,
  },
  {
    goal: 'one check by a part of its name',
    lines: ['/hc till', '/hc is till up?', '/hc show till'],
    answer: /Shop till is up/,
  },
  {
    goal: 'was anything down last night?',
    lines: ['/hc what happened last night?', '/hc outages last night', '/hc list outages last night'],
    answer: /last night/,
  },
  {
    goal: 'quiet in this channel until tomorrow 8am',
    lines: ['/hc mute everything until tomorrow 8am', '/hc silence all checks till tomorrow 8 a.m.'],
    answer: /Muted everything in production, in this channel/,
  },
  {
    goal: 'someone leaves, their mail',
    lines: ['/hc remove bobby@shop.example from everything', '/hc remove bobby@shop.example'],
    answer: /Stop emailing bobby@shop\.example[\s\S]*Nothing has changed yet/,
  },
  {
    goal: 'someone leaves, their work',
    findsNothing: true,
    lines: ['/hc handover from @member to @admin', '/hc transfer @member @admin'],
    answer: /Member doesn’t have anything to hand over/,
  },
  {
    goal: 'add a recipient',
    lines: ['/hc add ann@shop.example to Shop till', '/hc recipients ann@shop.example add Shop till'],
    answer: /ann@shop\.example[\s\S]*Nothing has changed yet/,
  },
  {
    goal: 'another port for several checks',
    lines: ['/hc change port of Shop* to 8443', '/hc edit Shop* port 8443', '/hc set port 8443 for Shop*'],
    answer: /port to 8443/,
  },
  {
    goal: 'a wildcard certificate',
    lines: ['/cert-order new *.shop.example', '/cert-order *.shop.example'],
    answer: /Paste one for \*\.shop\.example/,
  },
  {
    goal: 'renew a certificate',
    lines: ['/cert-order renew shop.example', '/cert-order renew for shop.example'],
    answer: /no earlier order for shop\.example/,
  },
  {
    goal: 'what expires soon?',
    lines: ['/cert-order expiring', '/cert-order what expires soon?'],
    answer: /No certificates to list/,
  },
  {
    goal: 'approve an order',
    lines: ['/cert-order approve 1', '/cert-order aprove 1', '/hc approve 1'],
    answer: /Approve order 1/,
  },
  {
    goal: 'why was my order rejected?',
    lines: ['/cert-order why was 1 rejected?', '/cert-order status 1', '/cert-order 1'],
    answer: /Approvals: 0 of 1/,
  },
  {
    goal: 'look up a phishing site',
    lines: [
      '/threat is evil.example.com phishing?',
      '/threat evil.example.com',
      '/threat lookup evil[.]example.com',
    ],
    answer: /No remembered threat event has “evil\[\.\]example\[\.\]com”/,
  },
  {
    goal: 'make someone operator for a week',
    lines: [
      '/hc give @member operator for a week',
      '/hc make @member operator for a week',
      '/hc access @member operator a week',
    ],
    answer: /\(operator role\)|already has the operator role/,
  },
  {
    goal: 'what changed yesterday?',
    lines: ['/hc what changed yesterday?', '/hc changes yesterday', '/hc audit yesterday'],
    answer: /No audit entries match/,
  },
  {
    goal: 'is Signalman healthy?',
    lines: ['/hc are you ok?', '/hc is signalman up?', '/hc health'],
    answer: /of \d+ health checks/,
  },
]

/** Finds the button that runs the suggested line. The messages of other tasks may arrive before it. */
function findSuggestion({ messages }: Answer) {
  for (const message of messages) {
    const [, label] = /"text":("Run (?:[^"\\]|\\.)+")/.exec(JSON.stringify(message.blocks ?? [])) ?? []
    if (label !== undefined) return { message, label: String(JSON.parse(label)) }
  }
  return undefined
}

/** Types a line, and presses the button of the suggestion if that isn't the answer already. */
async function followLine(member: User, line: string, isAnswer: (answer: Answer) => boolean) {
  const [command = '', ...words] = line.split(' ')
  const isBusy = ({ text }: Answer): boolean => text.includes('Your previous export is ')
  const until = (typed: Answer): boolean =>
    isAnswer(typed) || isBusy(typed) || findSuggestion(typed) !== undefined
  let typed = await member.command(command, words.join(' '), { until })
  // One person’s exports run one after another.
  while (!isAnswer(typed) && isBusy(typed)) typed = await member.command(command, words.join(' '), { until })
  const suggestion = isAnswer(typed) ? undefined : findSuggestion(typed)
  return suggestion ? member.click(suggestion.message, suggestion.label, { until: isAnswer }) : typed
}

async function startShop(): Promise<World> {
  const world = await startWorld({ sandbox: { seed: true } })
  await world.service.addCheck({
    name: 'Shop till',
    target: 'https://shop.example/health',
    protocol: 'HTTPS',
    frequency: 60,
    status: 'HEALTHY',
    alerts: [['oncall@shop.example', 'bobby@shop.example']],
  })
  await world.service.addCheck({
    name: 'Depot feed',
    target: 'https://depot.example/feed',
    protocol: 'HTTPS',
    status: 'UNHEALTHY',
  })
  await world.service.addCheck({ name: 'Payments', target: 'https://pay.example/', protocol: 'HTTPS' })
  await requestOrder(world.slack.admin)
  return world
}

describe('a newcomer’s command', () => {
  let shop: World
  let untouchedShop: World
  beforeAll(async () => {
    shop = await startShop()
    untouchedShop = await startShop()
  })
  afterAll(async () => {
    await shop[Symbol.asyncDispose]()
    await untouchedShop[Symbol.asyncDispose]()
  })

  it.each(TASKS)('leads to the answer in at most two steps: $goal', async (task) => {
    const { lines, answer, findsNothing } = task
    const { member } = (findsNothing ? untouchedShop : shop).slack
    const readAll = ({ messages, text }: Answer): string =>
      [...messages.map((message) => message.text), text].join(' ')
    for (const line of lines) {
      const final = await followLine(member, line, (typed) => answer.test(readAll(typed)))
      expect(readAll(final), line).toMatch(answer)
      if (final.view) await member.close({ all: true })
    }
  })
})
