import type { Fields, HostPanel, PanelPress, PressAnswer } from '@signalman/playground'
import type { Driver, User } from '@signalman/playground/driver'
import { threatEventId } from '@signalman/sandbox/src/index.ts'
import { requestOrder, SITES } from './order.ts'
import type { Check } from './sandbox-calls.ts'
import { OPERATIONS } from './set-up.ts'
import type { Targets } from './targets.ts'

/** Short, so that a phone's first view has the first button. */
const INTRODUCTION = 'Signalman posts what breaks, who is on it, and when it works again. Try it:'

const ABOUT =
  '*Signalman is a Slack app that you run yourself.* It connects to a service that monitors your websites from outside, finds phishing sites that imitate your brand, and issues certificates. For real use, you need an account there. Here, everything runs on this machine: this page stands in for Slack, and a sandbox for the service.'

/** A step of the story. Each makes its own event, so the steps work in any order, at any time, and again. */
interface Step {
  title: string
  text: string
  buttons: readonly StepButton[]
}

interface StepButton {
  id: string
  label: string
  press(press: PanelPress): Promise<PressAnswer>
}

interface StoryDeps {
  targets: Targets
  getDriver: () => Driver
}

export function createStory({ targets, getDriver }: StoryDeps): HostPanel {
  const checks = createStoryChecks(targets)
  const sites = [...SITES]
  const createSteps = (): Step[] => [
    breakStep(checks, targets, getDriver),
    askStep(),
    recoveryStep(targets),
    orderStep(getDriver, sites),
    threatStep(getDriver),
  ]
  return {
    name: 'Start here',
    firstVisitChannel: OPERATIONS,
    blocks: () => [
      section(INTRODUCTION),
      ...createSteps().flatMap(stepBlocks),
      { type: 'divider' },
      section(
        'Everything you can do: `/hc help`. Act as *Newcomer* to see what somebody without a role is told.',
      ),
      section(ABOUT),
    ],
    async press(actionId, press) {
      const buttons = createSteps().flatMap((step) => step.buttons)
      return (await buttons.find(({ id }) => id === actionId)?.press(press)) ?? {}
    },
  }
}

const plain = (text: string): Fields => ({ type: 'plain_text', text })
const section = (text: string): Fields => ({ type: 'section', text: { type: 'mrkdwn', text } })
const actions = (elements: Fields[]): Fields => ({ type: 'actions', elements })

const button = (id: string, label: string): Fields => ({
  type: 'button',
  action_id: id,
  text: plain(label),
  ...(label.startsWith('/') && { accessibility_label: `Type ${label}` }),
})

const stepBlocks = ({ title, text, buttons }: Step, index: number): Fields[] => [
  section(`*${index + 1}. ${title}*\n${text}`),
  actions(buttons.map(({ id, label }) => button(id, label))),
]

/**
 * The checks whose servers the story stops. The one that was stopped longest ago is next, because a check that goes down again within ten
 * minutes is still the same incident, on its old card.
 */
const STORY_CHECKS: readonly string[] = [
  'Shop checkout',
  'Group single sign-on',
  'Bank online banking',
  'Media newsroom',
  'Shop storefront',
  'Group careers',
  'Bank card controls',
  'Outlet storefront',
]

function createStoryChecks(targets: Targets) {
  const queue = [...STORY_CHECKS]
  return {
    async stopNext(): Promise<Check | undefined> {
      const running = await targets.listRunning()
      const next = queue.flatMap((name) => running.find((check) => check.name === name) ?? [])[0]
      if (!next) return undefined
      queue.push(...queue.splice(queue.indexOf(next.name), 1))
      await targets.stop([next])
      return next
    },
  }
}

type StoryChecks = ReturnType<typeof createStoryChecks>

function breakStep(checks: StoryChecks, targets: Targets, getDriver: () => Driver): Step {
  return {
    title: 'Something breaks',
    text: 'Stop a server. In a few seconds, a card appears in #operations: press *I’m on it*, and @on-call isn’t paged.',
    buttons: [
      {
        id: 'break',
        label: 'Stop a server',
        async press({ user }) {
          const isFirst = targets.stopped.length === 0
          const stopped = await checks.stopNext()
          if (!stopped)
            return {
              statusText: 'All of the story’s servers have stopped already. Step 3 starts them again.',
            }
          if (isFirst)
            return {
              channel: OPERATIONS,
              statusText: `The server of “${stopped.name}” has stopped. In a few seconds, a card in #operations says so.`,
            }
          // It joins a card further up, if that one is new enough. The answer stands at the bottom of the channel.
          await targets.untilSeen()
          await getDriver().user(user).command('/hc', 'down', { channel: 'operations' })
          return {
            channel: OPERATIONS,
            statusText: `The server of “${stopped.name}” has stopped, too. The answer to /hc down shows what is down now.`,
          }
        },
      },
    ],
  }
}

const askStep = (): Step => ({
  title: 'Ask what is down',
  text: 'Send this line in any channel. Only you see the answer.',
  buttons: [
    { id: 'down', label: '/hc down', press: async () => ({ channel: OPERATIONS, draft: '/hc down' }) },
  ],
})

function recoveryStep(targets: Targets): Step {
  return {
    title: 'See it recover',
    text: 'Start the server again. The card turns green, and a reply in its thread mentions who was on it. The history lists the outage.',
    buttons: [
      {
        id: 'restart',
        label:
          targets.stopped.length > 1 ? `Start ${targets.stopped.length} servers again` : 'Start it again',
        async press() {
          const started = (await targets.restart()).map(({ name }) => `“${name}”`)
          if (started.length === 0) return { statusText: 'No server is stopped. Step 1 stops one.' }
          const statusText = `Started again: ${started.join(', ')}. The card in #operations says so in a few seconds.`
          return { channel: OPERATIONS, statusText }
        },
      },
      {
        id: 'history',
        label: '/hc history',
        press: async () => ({ channel: OPERATIONS, draft: '/hc history' }),
      },
    ],
  }
}

/** Whoever isn't at the keyboard. */
const findColleague = ({ admin, member }: Driver, user: string): { colleague: User; name: string } =>
  user === admin.id ? { colleague: member, name: 'Member' } : { colleague: admin, name: 'Admin' }

/** `sites`: the next one to order a certificate for is first. */
function orderStep(getDriver: () => Driver, sites: string[]): Step {
  return {
    title: 'Approve a colleague’s order',
    text: 'Certificates cost money, so a second person approves each order. Press *Review and approve* on the card. Signalman never sends an order twice.',
    buttons: [
      {
        id: 'order',
        label: 'Let a colleague order',
        async press({ user }) {
          const { colleague, name } = findColleague(getDriver(), user)
          const [site = ''] = sites.splice(0, 1)
          sites.push(site)
          await requestOrder(colleague, site)
          return {
            channel: OPERATIONS,
            statusText: `${name} requested a certificate for ${site}. Its card is in #operations.`,
          }
        },
      },
    ],
  }
}

function threatStep(getDriver: () => Driver): Step {
  const id = threatEventId(1)
  return {
    title: 'Look up a phishing site safely',
    text: 'A colleague asks about a phishing site: send the line that looks it up. Its card has no link to click by accident, and Signalman never visits the site: the service took the screenshot in *Details*.',
    buttons: [
      {
        id: 'threat',
        label: 'Let a colleague ask',
        async press({ user }) {
          const { colleague, name } = findColleague(getDriver(), user)
          const text = `A customer got a text message about this one. Can you have a look? \`${id}\``
          await colleague.say(text, { channel: 'operations' })
          return {
            channel: OPERATIONS,
            draft: `/threat ${id}`,
            statusText: `${name} posted in #operations. Send the line, or choose “Look up threat event” in the menu of the message.`,
          }
        },
      },
    ],
  }
}
