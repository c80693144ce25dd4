import { Component, type ReactNode } from 'react'

/** Something that this page can't draw, with its name and its payload. */
export function Unknown({ what }: { what: { type: string } }) {
  return (
    <details className="unknown soft">
      <summary>
        Not drawn here: <code>{what.type}</code>
      </summary>
      <pre>{JSON.stringify(what, null, 2)}</pre>
    </details>
  )
}

/** Keeps a block that can't be rendered from breaking the page. */
export class BlockBoundary extends Component<
  { what: { type: string }; children: ReactNode },
  { broken: boolean }
> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override componentDidUpdate(before: { what: { type: string } }) {
    if (before.what !== this.props.what && this.state.broken) this.setState({ broken: false })
  }

  override render() {
    return this.state.broken ? <Unknown what={this.props.what} /> : this.props.children
  }
}
