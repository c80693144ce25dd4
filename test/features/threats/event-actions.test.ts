import { describe, expect, it } from 'vitest'
import type { World } from '../../world.ts'
import { createThreatEvent } from './events.ts'
import { downloadFiles, ID, startWorldWithThreat } from './world.ts'

async function openDetails(member: World['slack']['member'], message: Parameters<typeof member.click>[0]) {
  return (await member.click(message, 'Details')).view
}

const DNS_RECORD = {
  country_code: 'NL',
  ip: '192.0.2.7',
  name: 'a.exa.mple',
  type: 'A',
  autonomous_system_info: { as_number: '64500', as_organization: 'Example Hosting' },
}

describe('looking up a threat event', () => {
  it('works from the menu of a message that contains its ID or a file with that name, in a channel or a thread', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const lookUp = (ts: string) =>
      member.shortcut('threat.look-up', { message: { channel: 'C0GENERAL1', ts } })
    const post = await member.say(`see https://portal.example.com/e/${ID.toUpperCase()}?x=1, please`)
    const { message } = await lookUp(post.ts)
    expect(message?.text).toContain('exa[.]mple')
    expect(message).toMatchObject({ ephemeral: true, threadTs: null })
    const reply = await member.say(`what is ${ID}?`, { threadTs: post.ts })
    expect((await lookUp(reply.ts)).message).toMatchObject({ ephemeral: true, threadTs: post.ts })
    const file = await member.upload(`report ${ID}.txt`, 'x')
    const postWithFile = await member.say('', { files: [file.id] })
    expect((await lookUp(postWithFile.ts)).text).toContain('exa[.]mple')
    const postWithoutId = await member.say('nothing in here')
    expect((await lookUp(postWithoutId.ts)).text).toContain(
      'This message has no threat event ID. An ID looks like',
    )
  })
})

it('modals about a threat event show all DNS records and all comments, page by page', async () => {
  await using world = await startWorldWithThreat((event) => {
    event.observed_data.dns_records = Array.from({ length: 130 }, (_, index) => ({
      ...DNS_RECORD,
      name: `n${index}.exa.mple`,
    }))
    event.comments = Array.from({ length: 40 }, (_, index) => ({
      content: `Comment text ${index} ${'x'.repeat(700)}`,
      date: '2026-11-19T08:00:00Z',
    }))
  })
  const { member } = world.slack
  const { message } = await member.command('/threat', ID)
  const first = await member.click(await openDetails(member, message), '130 DNS records')
  expect(first.text).toContain('1 to 25 of 130, page 1 of 6')
  expect(first.text).toContain('n24[.]exa[.]mple')
  const second = await member.click(first.view, 'Next')
  expect(second.text).toContain('n49[.]exa[.]mple')
  const firstAgain = await member.click(second.view, 'Previous')
  expect(firstAgain.text).toContain('n24[.]exa[.]mple')
  expect(await member.views()).toHaveLength(2)
  await member.close({ all: true })
  const { text } = await member.click(await openDetails(member, message), '40 comments')
  expect(text).toContain('Comment text 9 ')
  expect(text).toContain('1 to 10 of 40, page 1 of 4')
})

describe('an export', () => {
  it('is sent as files in a DM to the person who requested it', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const { message } = await member.command('/threat', ID)
    const { view } = await member.click(message, 'Details', { until: 'Export indicators' })
    const { text } = await member.click(view, 'Export indicators', {
      until: 'Sent to your DMs',
    })
    expect(text).toContain('Indicators of exa[.]mple: 7 values.')
    const files = await downloadFiles(world)
    expect([...files.keys()]).toEqual([`threat-${ID}.csv`, `threat-${ID}.stix.json`])
    expect(files.get(`threat-${ID}.csv`)?.bytes.toString()).toContain('\ndomain,exa.mple,')
    const bundle = JSON.parse(files.get(`threat-${ID}.stix.json`)?.bytes.toString() ?? '')
    expect(bundle).toMatchObject({ type: 'bundle' })
    expect(JSON.stringify(await world.slack.admin.messages())).not.toContain('owner@exa.mple')
    for (const { bytes } of files.values()) expect(bytes.toString()).not.toMatch(/owner@|Somebody/)
  })

  it('of several events is sent in one message, which says why one is missing', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const [other, denied, missing] = ['b', 'c', 'd'].map((digit) => ID.replace(/a$/, digit)) as [
      string,
      string,
      string,
    ]
    await world.service.storeThreat(other, createThreatEvent('other.example'))
    await world.service.storeThreat(denied, createThreatEvent('denied.example'))
    await member.command('/threat', `close ${denied} --as false-positive`, { until: 'false positive' })
    const { text } = await member.command('/threat', `export ${missing} ${ID} ${denied} ${other} csv`, {
      until: 'Sent to your DMs',
    })
    expect(text).toContain('2 files. Indicators of exa[.]mple: ')
    expect(text).toContain(`Can’t export ${missing}. The service has no threat event ${missing}.`)
    expect(text).toContain(`Can’t export ${denied}. False positive, says Member.`)
    expect([...(await downloadFiles(world)).keys()]).toEqual([`threat-${ID}.csv`, `threat-${other}.csv`])
    const none = await member.command('/threat', `export ${missing} ${denied}`, { until: 'Nothing was' })
    expect(none.text).toContain(`Can’t export ${denied}.`)
    const many = Array.from({ length: 11 }, (_, index) => `${ID.slice(0, -2)}${10 + index}`)
    const refused = await member.command('/threat', `export ${many.join(' ')}`, { until: 'Nothing was' })
    expect(refused.text).toContain('/threat export takes up to 10 IDs at a time. You typed 11.')
    const empty = ID.replace(/a$/, 'e')
    await world.service.storeThreat(empty, { domain: 'not a domain' })
    await member.command('/threat', `export ${empty}`, {
      until:
        'This event has no values to export that Signalman can read. 1 value isn’t valid and was left out.',
    })
  })

  it('isn’t created for a false positive, and can be limited to one format', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    await member.command('/threat', `close ${ID} --as false-positive`, { until: 'false positive' })
    const answer = await member.command('/threat', `export ${ID}`, { until: 'reopen the case' })
    expect(answer.text).toContain('False positive, says')
    await member.click(answer.message, 'Reopen', { until: 'yours now' })
    await member.command('/threat', `export ${ID} stix`, { until: 'Sent to your DMs' })
    expect([...(await downloadFiles(world)).keys()]).toEqual([`threat-${ID}.stix.json`])
  })
})
