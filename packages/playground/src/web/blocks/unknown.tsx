import { Component, type ReactNode } from 'react'

/** Shows the type and the JSON of a block or element that the page can't render. */
export function Unknown({ value }: { value: { type: string } }) {
  return (
    <details className="unknown soft">
      <summary>
        Can’t be displayed: <code>{value.type}</code>
      </summary>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </details>
  )
}

/** An error boundary for one block. If the block can't be rendered, shows its JSON instead of breaking the whole page. */
export class BlockBoundary extends Component<
  { block: { type: string }; children: ReactNode },
  { broken: boolean }
> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override componentDidUpdate(before: { block: { type: string } }) {
    if (before.block !== this.props.block && this.state.broken) this.setState({ broken: false })
  }

  override render() {
    return this.state.broken ? <Unknown value={this.props.block} /> : this.props.children
  }
}
