/** Of what a webhook is told, e.g. `message.delivered`. On a phone, it breaks after its dot. */
export function EventName({ name }: { readonly name: string }) {
  const [group = '', ...rest] = name.split('.');
  return (
    <>
      {group}.<wbr className="narrow-only" />
      {rest.join('.')}
    </>
  );
}
