declare module '@mantine/core/styles/*.css';
declare module 'uplot/dist/uPlot.min.css';
