import { useEffect, useMemo, useRef, useState } from 'react'
import { asString, isFields, objectsIn, parseJson } from '../json.ts'
import type { Block, Fields, StepField } from '../protocol.ts'
import { Blocks } from './blocks/block.tsx'
import { useActions } from './page.ts'
import { Panel } from './panel.tsx'
import { ParameterForm } from './parameters.tsx'
import { INERT, type Surface, SurfaceContext } from './surface.ts'

/** The tool's parameters that a form can show, from its JSON Schema. */
export function parametersOf({ inputSchema: schema }: Fields): StepField[] {
  if (!isFields(schema) || !isFields(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([name, given]) => {
    const { type, title, description, enum: choices } = isFields(given) ? given : {}
    return {
      name,
      type: String(Array.isArray(type) ? type[0] : (type ?? 'string')),
      title: asString(title) ?? name,
      description: asString(description) ?? '',
      is_required: required.includes(name),
      ...(Array.isArray(choices) && { choices: choices.map(String) }),
    }
  })
}

/** The blocks in a result that Slackbot renders (`_meta.slack.blocks`). */
function readCards({ _meta: meta }: Fields): Block[] {
  const slack = isFields(meta) && isFields(meta.slack) ? meta.slack : {}
  // Like Slack, it renders what the server sends, and names what it doesn't know.
  return objectsIn(slack.blocks).map((one, index) => ({ block_id: `b${index}`, ...one }) as Block)
}

/** A tool's result: its cards, or else its text. A button on a card calls the tool that it names. */
function Answer({ result, call }: { result: Fields; call: (name: string, given: Fields) => Promise<void> }) {
  const blocks = useMemo(() => readCards(result), [result])
  const shown = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is to be seen
  useEffect(() => {
    void shown.current?.scrollIntoView({ block: 'nearest' })
  }, [result])
  const text = objectsIn(result.content).map((one) => asString(one.text) ?? `[${String(one.type)}]`)
  const surface: Surface = {
    ...INERT,
    act: async (blockId, actionId) => {
      const element = objectsIn(blocks.find((one) => one.block_id === blockId)?.elements)[0]
      const given = parseJson(asString(element?.value) ?? '')
      if (actionId.startsWith('tool:'))
        await call(actionId.slice('tool:'.length), isFields(given) ? given : {})
    },
  }
  return (
    <div ref={shown} role="status" className={result.isError === true ? 'faulty' : undefined}>
      {blocks.length > 0 ? (
        <SurfaceContext value={surface}>
          <Blocks blocks={blocks} />
        </SurfaceContext>
      ) : (
        text.map((one) => (
          <p key={one} className="plain">
            {one}
          </p>
        ))
      )}
    </div>
  )
}

/** One tool: its inputs, and its last result. */
function Tool({ tool }: { tool: Fields }) {
  const { client } = useActions()
  const [said, setSaid] = useState<Fields | string>()
  const call = async (name: string, given: Fields) => {
    const answer = await client.tools({ method: 'call', params: { name, arguments: given } })
    setSaid(answer.ok ? answer.result : answer.message)
  }
  const name = asString(tool.name) ?? ''
  return (
    <details>
      <summary>{asString(tool.title) ?? name}</summary>
      <p className="soft">{asString(tool.description)}</p>
      <ParameterForm fields={parametersOf(tool)} label={`Call ${name}`} run={(given) => call(name, given)} />
      {typeof said === 'string' && <p role="alert">{said}</p>}
      {typeof said === 'object' && <Answer result={said} call={call} />}
    </details>
  )
}

/** What Slackbot can ask the app's tools server on the person's behalf. */
export function Tools() {
  const { client } = useActions()
  const [tools, setTools] = useState<Fields[]>()
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    void client.tools({ method: 'list' }).then((answer) => {
      setTools(answer.ok ? objectsIn(answer.result.tools) : [])
      if (!answer.ok) setFault(answer.message)
    })
  }, [client])
  return (
    <Panel title="Ask Slackbot" closing="Close Slackbot’s tools" scrolls="Slackbot’s tools">
      {fault !== undefined && <p role="alert">{fault}</p>}
      {tools === undefined && <p role="status">Asking for the tools…</p>}
      {tools?.map((tool) => (
        <Tool key={asString(tool.name)} tool={tool} />
      ))}
    </Panel>
  )
}
