import { useInterval, useWindowEvent } from '@mantine/hooks';
import {
  type ComponentType,
  createContext,
  type LazyExoticComponent,
  lazy,
  type ReactNode,
  Suspense,
  useContext,
  useState,
} from 'react';
import { noAnswer } from './api/problem.js';
import { AGAIN_MS } from './poll-every.js';
import { hasPage, reloadForMissingScript } from './reload-once.js';
import { ErrorPanel } from './states/error-panel.js';
import { LoadingLines } from './states/query-view.js';

type Load<Props> = () => Promise<{ readonly default: ComponentType<Props> }>;

/** One try to load a script. React keeps what a lazy component came to, so another try is another one. */
interface Attempt<Props> {
  readonly Part: LazyExoticComponent<ComponentType<Props>>;
}

/**
 * A page, or a part of one, whose script comes when it is shown. While nothing answers, what stands around it stays:
 * the part says so, and can be asked for again. Once the gateway answers, it is asked for by itself, as all reads are.
 *
 * @param loading shown meanwhile; three grey lines by default
 */
export function loadLater<Props extends object>(
  load: Load<Props>,
  loading: (props: Props) => ReactNode = () => <LoadingLines />,
): (props: Props) => ReactNode {
  const attempt = (): Attempt<Props> => ({
    Part: lazy(() =>
      load().catch(async (error: unknown) => {
        await reloadForMissingScript(error);
        latest = attempt();
        return { default: NoAnswer };
      }),
    ),
  });
  let latest = attempt();
  return (props) => <Later latest={() => latest} props={props} loading={loading(props)} />;
}

const TryAgain = createContext<() => void>(() => undefined);

interface LaterProps<Props> {
  readonly latest: () => Attempt<Props>;
  readonly props: Props;
  readonly loading: ReactNode;
}

function Later<Props extends object>({ latest, props, loading }: LaterProps<Props>) {
  const [{ Part }, setAttempt] = useState(latest);
  return (
    <TryAgain value={() => setAttempt(latest())}>
      <Suspense fallback={loading}>
        <Part {...(props as Parameters<typeof Part>[0])} />
      </Suspense>
    </TryAgain>
  );
}

function NoAnswer() {
  const again = useContext(TryAgain);
  useWindowEvent('online', again);
  useInterval(async () => !document.hidden && (await hasPage()) && again(), AGAIN_MS, { autoInvoke: true });
  return <ErrorPanel error={noAnswer()} onRetry={again} />;
}
