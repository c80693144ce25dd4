import { useEffect, useMemo, useRef, useState } from 'react'
import type { Fields } from '../protocol/json.ts'
import { asString, isFields, objectsIn, parseJson } from '../protocol/json.ts'
import type { Block, StepField } from '../protocol/protocol.ts'
import { Blocks } from './blocks/block.tsx'
import { useActions } from './page.ts'
import { Panel } from './panel.tsx'
import { ParameterForm } from './parameters.tsx'
import { READ_ONLY_SURFACE, type Surface, SurfaceContext } from './surface.ts'

/** Converts a tool's JSON Schema to form fields. */
function readParameters({ inputSchema: schema }: Fields): StepField[] {
  if (!isFields(schema) || !isFields(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([name, parameter]) => {
    const { type, title, description, enum: choices } = isFields(parameter) ? parameter : {}
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

/** Returns the blocks of a tool's result (`_meta.slack.blocks`), which Slackbot would render. */
function readBlocks({ _meta: meta }: Fields): Block[] {
  const slack = isFields(meta) && isFields(meta.slack) ? meta.slack : {}
  // The playground doesn't validate these blocks, so this cast may be wrong. The page shows blocks that it can't render as JSON.
  return objectsIn(slack.blocks).map((block, index) => ({ block_id: `b${index}`, ...block }) as Block)
}

/** A tool's result: its blocks, or its text if it has no blocks. Buttons with the action ID `tool:NAME` call the tool NAME. */
function ToolResult({
  result,
  call,
}: {
  result: Fields
  call: (name: string, args: Fields) => Promise<void>
}) {
  const blocks = useMemo(() => readBlocks(result), [result])
  const container = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to each new result
  useEffect(() => {
    void container.current?.scrollIntoView({ block: 'nearest' })
  }, [result])
  const lines = objectsIn(result.content).map(
    (content) => asString(content.text) ?? `[${String(content.type)}]`,
  )
  const surface: Surface = {
    ...READ_ONLY_SURFACE,
    sendAction: async (blockId, actionId) => {
      const element = objectsIn(blocks.find((block) => block.block_id === blockId)?.elements)[0]
      const args = parseJson(asString(element?.value) ?? '')
      if (actionId.startsWith('tool:')) await call(actionId.slice('tool:'.length), isFields(args) ? args : {})
    },
  }
  return (
    <div ref={container} role="status" className={result.isError === true ? 'faulty' : undefined}>
      {blocks.length > 0 ? (
        <SurfaceContext value={surface}>
          <Blocks blocks={blocks} />
        </SurfaceContext>
      ) : (
        lines.map((line) => (
          <p key={line} className="plain">
            {line}
          </p>
        ))
      )}
    </div>
  )
}

/** One tool with its inputs and its last result. */
function Tool({ tool }: { tool: Fields }) {
  const { client } = useActions()
  const [result, setResult] = useState<Fields | string>()
  const call = async (name: string, args: Fields) => {
    const response = await client.tools({ method: 'call', params: { name, arguments: args } })
    setResult(response.ok ? response.result : response.message)
  }
  const name = asString(tool.name) ?? ''
  return (
    <details>
      <summary>{asString(tool.title) ?? name}</summary>
      <p className="soft">{asString(tool.description)}</p>
      <ParameterForm fields={readParameters(tool)} label={`Call ${name}`} run={(args) => call(name, args)} />
      {typeof result === 'string' && <p role="alert">{result}</p>}
      {typeof result === 'object' && <ToolResult result={result} call={call} />}
    </details>
  )
}

/** The tools of the app's MCP server, which Slackbot can call for this person. */
export function Tools() {
  const { client } = useActions()
  const [tools, setTools] = useState<Fields[]>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    void client.tools({ method: 'list' }).then((response) => {
      setTools(response.ok ? objectsIn(response.result.tools) : [])
      if (!response.ok) setError(response.message)
    })
  }, [client])
  return (
    <Panel title="Ask Slackbot" closeLabel="Close Slackbot’s tools" bodyLabel="Slackbot’s tools">
      {error !== undefined && <p role="alert">{error}</p>}
      {tools === undefined && <p role="status">Loading tools…</p>}
      {tools?.map((tool) => (
        <Tool key={asString(tool.name)} tool={tool} />
      ))}
    </Panel>
  )
}
