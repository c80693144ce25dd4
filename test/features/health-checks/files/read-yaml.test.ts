import { describe, expect, it } from 'vitest'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { readYaml } from '../../../../src/features/health-checks/files/read-yaml.ts'

async function linesOf(text: string): Promise<number[]> {
  const lines: number[] = []
  for await (const { line } of readYaml(Buffer.from(text))) lines.push(line)
  return lines
}

async function faultsOf(text: string): Promise<void> {
  for await (const { fault } of readYaml(Buffer.from(text))) if (fault) throw new Error(fault)
}

/** So much more than is parsed in one turn. */
const MANY = 40_000
const recipients = '  - [a@b.com]\n'.repeat(MANY)

describe('a YAML file', () => {
  it.each([
    { of: 'a single entry', text: `- name: x\n  alerts:\n${recipients}` },
    {
      of: 'a short entry and a long one',
      text: `- name: x\n- name: y\n  alerts:\n${recipients}- name: z\n`,
    },
    { of: 'no list', text: `name: x\nalerts:\n${recipients}` },
  ])('of $of is refused where it would hold the process up', async ({ text }) => {
    await expect(linesOf(text)).rejects.toThrow('This file is too long to be read in one piece')
  })

  it.each([
    { text: 'name: web\nport: 443\n' },
    { text: 'checks:\n  web: {port: 443}\n' },
    { text: 'checks: none\n' },
    { text: '# nothing yet\n' },
  ])('without a list has no health checks in it: $text', async ({ text }) => {
    await expect(linesOf(text)).rejects.toThrow('There are no health checks in this file.')
  })

  it('with an alias is told to write out what that stands for', async () => {
    await expect(linesOf('- &one\n  name: x\n- *one\n')).rejects.toThrow('This file uses aliases (*name).')
  })

  it.each([
    { where: 'an entry', text: '- name: a\n  port: 1\n  port: 2\n' },
    { where: 'the file', text: 'checks: []\nchecks: []\n' },
  ])('with one name twice in $where is not taken for either of them', async ({ text }) => {
    await expect(faultsOf(text)).rejects.toThrow('A name stands here twice. Keep one of each.')
  })

  it('names the line of each entry, however it is written', async () => {
    expect(await linesOf('# two\nchecks:\n  - name: a\n    port: 1\n  - name: b\n')).toEqual([3, 5])
    expect(await linesOf('checks: [{name: a},\n  {name: b}]\n')).toEqual([1, 2])
  })
})

it('reads a name that looks like a number as it is written', async () => {
  const file =
    '- name: 1.10\n  protocol: HTTPS\n  target: a.example.com\n  port: 443\n  frequency: 60\n  customer_id: 1\n'
  const { rows } = await readFile(Buffer.from(file), 'a.yaml')
  expect(rows[0]?.body).toMatchObject({ name: '1.10', port: 443 })
})
