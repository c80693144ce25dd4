import type { Settings } from '@signalman/durable'
import { FieldErrors } from '@signalman/runtime'
import { card, channelInput, LIMITS, type Message, sentences, switchInput, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { explainChannelRefusal } from '../../../bot/posts/channel-refusals.ts'
import { hashVersion, OutdatedWindow } from '../../../bot/windows/window-states.ts'
import { cmd } from '../../../domain/command-names.ts'
import { capitalize, formatList } from '../../../domain/wording.ts'
import { parseDomain } from '../rules/host-names.ts'
import { ORDER_SETTINGS, type OrderSettings } from '../rules/settings.ts'

export const settingsForm = form({
  id: 'cert-orders.settings',
  title: 'Certificate orders',
  button: 'Save',
  verb: '/cert-order settings',
  needs: 'admin',
  workingText: 'Saving…',
  content: (_, settings: OrderSettings) => ({
    formState: settings,
    blocks: [
      sentences(
        `Every member may request an order, and an approver approves it. \`${cmd('/hc access')}\` names the approvers. To add one, type this:\n\`${cmd('/hc grant @person approver')}\``,
      ),
      channelInput('channel', 'Approvals channel', {
        initial: settings.channelId,
        optional: true,
        hint: 'Requests are posted there. Invite Signalman to it. If this is empty, approvers get direct messages.',
      }),
      textInput('domains', 'Allowed domains', {
        initial: settings.domains.join('\n'),
        multiline: true,
        optional: true,
        placeholder: 'example.com',
        hint: 'One per line. Every name has to be one of these or a subdomain. An IP address has to be listed itself. If this is empty, any name is allowed.',
      }),
      switchInput('own', 'Own orders', {
        text: 'An approver may decide on an order that they requested themselves',
        isOn: settings.allowsOwn === true,
      }),
    ],
  }),
  read(answers): OrderSettings {
    const channelId = answers.conversation('channel')
    const text = answers.text('domains')
    const typed = (text ?? '').split(/[\s,;]+/).filter(Boolean)
    if (text !== undefined && typed.length === 0)
      throw new FieldErrors({ domains: 'Enter at least one domain, or leave it empty to allow any name.' })
    const invalid = typed.find((text) => parseDomain(text) === undefined)
    if (invalid !== undefined)
      throw new FieldErrors({
        domains: `“${invalid}” isn’t a domain of yours, such as example.com, or an IP address.`,
      })
    const domains = [...new Set(typed.map((text) => parseDomain(text) ?? text))]
    // International names are longer as they're stored, and the field shows them so.
    if (domains.join('\n').length > LIMITS.inputValue)
      throw new FieldErrors({ domains: 'These are more domains than this field can show. List fewer.' })
    const allowsOwn = answers.choices('own').includes('yes')
    return { ...(channelId && { channelId }), domains, ...(allowsOwn && { allowsOwn }) }
  },
  async submit(
    context,
    newValue,
    before: OrderSettings,
    { settings }: { settings: Settings },
  ): Promise<Message> {
    const { channelId } = newValue
    const permission = channelId ? await context.mayPost(channelId, { asksGuests: true }) : 'yes'
    const obstacle = permission === 'yes' ? undefined : explainChannelRefusal(permission)
    const mayHaveGuests = permission === 'guests' || permission === 'maybe-guests'
    if (obstacle && !mayHaveGuests)
      throw new FieldErrors({ channel: `${capitalize(obstacle.problem)}. ${obstacle.fix}` })
    const change = { verb: '/cert-order settings', object: 'approvals', before, after: newValue }
    await context.decide(change, (decisions) =>
      settings.decide(decisions, ORDER_SETTINGS, (current) => {
        if (hashVersion(before) === hashVersion(current)) return newValue
        const domains = `Domains: ${formatList(current.domains, MAX_NAMED, String) || 'any'}.`
        throw new OutdatedWindow([...describeSettings(current), domains], '/cert-order settings')
      }),
    )
    return card({
      headline: 'Settings saved.',
      notes: [
        ...describeSettings(newValue),
        ...formatDomains(newValue.domains),
        ...(obstacle ? [`⚠️ ${capitalize(obstacle.problem)}, and would see who orders what.`] : []),
        'Orders that wait for approval follow these settings, too. Their cards stay where they are.',
      ],
    })
  },
})

/** In an error, which is one text. */
const MAX_NAMED = 12

const describeSettings = ({ channelId, allowsOwn }: OrderSettings): string[] => [
  channelId
    ? 'Requests are posted in the approvals channel. Signalman has to be in it.'
    : 'Approvers get direct messages.',
  allowsOwn
    ? 'Approvers may decide on their own orders.'
    : 'An order needs the approval of somebody other than its requester.',
]

/** Several lines, if they are more than Slack shows of one text. */
function formatDomains(domains: readonly string[]): string[] {
  const parts = [`Domains: ${domains[0] ?? 'any'}`]
  for (const domain of domains.slice(1))
    if ((parts.at(-1) ?? '').length < LIMITS.fieldText) parts.push(`${parts.pop()}, ${domain}`)
    else parts.push(domain)
  return parts.map((part, index) => part + (index < parts.length - 1 ? ',' : '.'))
}
