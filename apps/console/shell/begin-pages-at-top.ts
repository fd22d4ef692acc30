/** A page that somebody goes to begins at its top. Where "back" leads, the browser finds the place again by itself. */
export function beginPagesAtTop(): void {
  let path = location.pathname;
  const look = ({ type }: Event) => {
    if (type === 'pushState' && location.pathname !== path) scrollTo(0, 0);
    path = location.pathname;
  };
  // The router makes an event of each change of the address.
  for (const type of ['pushState', 'popstate']) window.addEventListener(type, look);
}
